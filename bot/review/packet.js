// Collects the answers as JSON lines, one decision a line, in a file that stays on this machine.
const told = document.getElementById("count");
let saved = true;
function count() {
  told.textContent = told.dataset.said.replace("{done}", document.querySelectorAll(".decide input[type=radio]:checked").length);
}
document.addEventListener("input", ({ target }) => {
  const form = target.closest(".decide");
  // For an edited formula each source is to be ticked again.
  if (target.matches("input.tex") && !target.dataset.edited) {
    target.dataset.edited = "1";
    for (const box of target.closest("article").querySelectorAll("input.reference")) box.checked = false;
  }
  // Who names a reason or another item has answered.
  if (target.matches("select.reason") && target.value) form.querySelector("[value=reject]").checked = true;
  if (target.matches("input.other") && target.value) form.querySelector("[value='reject wrong_item']").checked = true;
});
document.addEventListener("change", ({ target }) => {
  if (!target.closest(".decide, .references")) return;
  saved = false;
  count();
});
document.addEventListener("submit", (event) => event.preventDefault());
addEventListener("beforeunload", (event) => { if (!saved) event.preventDefault(); });
count();
document.getElementById("save").addEventListener("click", () => {
  const rows = [];
  for (const form of document.querySelectorAll(".decide")) {
    const chosen = form.querySelector("input[type=radio]:checked");
    if (!chosen) continue;
    const [verdict, reason, about] = chosen.value.split(" ");
    const typed = (name) => form.querySelector(name)?.value.trim() ?? "";
    const ticks = [...form.closest("article").querySelectorAll("input.reference")].map((box) => (box.checked ? "approve" : "reject"));
    rows.push(JSON.stringify({
      proposal: form.dataset.proposal, hash: form.dataset.hash, words: form.dataset.words, verdict,
      reason: reason ?? (verdict === "reject" ? typed(".reason") : ""),
      about: about ?? (reason === "wrong_item" ? typed("input.other").toUpperCase() : ""),
      edited_tex: typed("input.tex"), edit_confirmed: form.querySelector(".edit-confirmed")?.checked ? "yes" : "",
      reference_verdicts: verdict === "approve" ? ticks.join(" ") : "",
    }));
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([rows.join("\n") + "\n"], { type: "application/x-ndjson" }));
  link.download = "decisions.jsonl";
  link.click();
  saved = true;
});
