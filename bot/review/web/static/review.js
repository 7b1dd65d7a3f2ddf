// Keys, pages without reload, live preview. Every form and link works without this file.
"use strict";

const main = () => document.getElementById("main");
const dialog = document.getElementById("keys");
const said = document.getElementById("said");
let busy = false;
let back = false;  // in the network again while an answer was still waited for
let opened = 0;  // sources of the proposal on view that were opened by key

// -- pages without reload: the server answers with whole pages, of which we take the middle -----------------------------
async function go(url, options, push, sent) {
  if (busy) return;
  busy = true;
  document.documentElement.classList.add("busy");
  try {
    const answer = await fetch(url, { credentials: "same-origin", ...options });
    const type = answer.headers.get("Content-Type") || "";
    if (!type.startsWith("text/html")) { location.assign(url); return; }
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    // Refused is said on the page; over, forbidden and broken are no answer to a decision.
    if (sent && page.querySelector("nav") && answer.status < 500 && answer.status !== 403 && answer.status !== 429) forget(sent);
    const middle = page.getElementById("main");
    if (!middle || !document.querySelector("nav") || !page.querySelector("nav")) { location.assign(answer.url); return; }
    if (push) history.replaceState({ ...history.state, y: scrollY }, "");
    main().replaceWith(document.adoptNode(middle));
    document.querySelector("header nav").replaceWith(document.adoptNode(page.querySelector("header nav")));
    document.querySelector(".languages").replaceWith(document.adoptNode(page.querySelector(".languages")));
    document.title = page.title;
    document.body.dataset.csrf = page.body.dataset.csrf;
    if (push && answer.url !== location.href) history.pushState({ y: 0 }, "", answer.url);
    shown = without(location.href);
    scrollTo(0, push ? 0 : (history.state && history.state.y) || 0);
    const head = document.getElementById("title") || main();
    head.focus({ preventScroll: true });
    said.textContent = [...main().querySelectorAll(".flash")].map((f) => f.textContent).join(" ");
    ready();
  } catch (error) {
    for (const old of main().querySelectorAll(".no-answer")) old.remove();
    remind();
    main().prepend(alerting(document.body.dataset.offline, "no-answer"));
    scrollTo(0, 0);
  } finally {
    busy = false;
    document.documentElement.classList.remove("busy");
    if (back) sendWaiting();
  }
}

// -- decisions that did not arrive: kept in this browser until they are sent again -------------------------------------------
function unsent() {
  try { return JSON.parse(localStorage.getItem("unsent")) || []; } catch { return []; }
}
function store(all) {
  try { localStorage.setItem("unsent", JSON.stringify(all.slice(-50))); } catch { /* a browser that keeps nothing */ }
}
function forget(entry) {
  store(unsent().filter((each) => each.url !== entry.url || each.who !== entry.who));
}
function alerting(text, name) {
  const note = document.createElement("p");
  note.className = `flash error ${name}`;
  note.setAttribute("role", "alert");
  note.textContent = text;
  return note;
}
function button(text, act) {
  const made = document.createElement("button");
  made.className = "quiet";
  made.textContent = text;
  made.addEventListener("click", act);
  return made;
}
function send(entry) {
  const body = new URLSearchParams(entry.body);
  body.set("csrf", document.body.dataset.csrf);
  go(entry.url, { method: "POST", body }, true, entry);
}
function remind() {
  for (const old of main().querySelectorAll(".unsent")) old.remove();
  const { who, unsent: text, again, drop, first } = document.body.dataset;
  for (const entry of unsent().filter((each) => !who || each.who === who)) {
    const note = alerting(text.replace("{what}", entry.what), "unsent");
    if (who) note.append(button(again, () => send(entry)), button(drop, () => { forget(entry); note.remove(); }));
    else note.append(` ${first}`);
    main().prepend(note);
  }
}

document.addEventListener("click", (event) => {
  // The second click of a double click would decide on the next proposal, which nobody has seen.
  if (event.detail > 1 && event.target.closest(".slots button")) { event.preventDefault(); return; }
  // Of a row in a list its whole area opens the proposal, but for what can be pressed or is being selected.
  const row = event.target.closest(".row");
  if (row && !event.ctrlKey && !event.metaKey && !event.target.closest("a, button, input, .pick, summary") && getSelection().isCollapsed) { row.querySelector(".name a").click(); return; }
  const link = event.target.closest("a[href]");
  if (!link || event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const url = new URL(link.href, location.href);
  if (link.id === "help-link" && dialog && dialog.showModal) { event.preventDefault(); dialog.showModal(); return; }
  if (url.origin !== location.origin || link.target || link.hasAttribute("download") || "whole" in link.dataset) return;
  if (url.pathname === location.pathname && url.hash) return;
  if (link.closest(".languages")) return;
  event.preventDefault();
  go(url.href, {}, true);
});

document.addEventListener("submit", (event) => {
  const form = event.target;
  if (form.method === "dialog" || "whole" in form.dataset || form.enctype === "multipart/form-data") return;
  event.preventDefault();
  const data = new FormData(form, event.submitter);
  const action = (event.submitter && event.submitter.getAttribute("formaction")) || form.getAttribute("action") || location.href;
  if (form.method === "get") {
    const url = new URL(action, location.href);
    url.search = new URLSearchParams([...data].filter(([, value]) => value !== "")).toString();
    go(url.href, {}, true);
  } else {
    const body = new URLSearchParams(data), address = new URL(action, location.href);
    let entry;
    if ("kept" in form.dataset && !busy) {
      const pressed = event.submitter ? event.submitter.childNodes[0].textContent.trim() || event.submitter.textContent.trim() : "";
      entry = { who: document.body.dataset.who, url: address.pathname + address.search, body: body.toString(), what: [form.dataset.kept, pressed].filter(Boolean).join(", ") };
      forget(entry);
      store([...unsent(), entry]);
    }
    go(action, { method: "POST", body }, true, entry);
  }
});

const without = (address) => address.split("#")[0];
let shown = without(location.href);  // a link within the page changes the address too, and nothing is to be fetched for it
addEventListener("popstate", () => { if (without(location.href) !== shown) go(location.href, {}, false); });

// Back in the network: the first decision that waited is sent by itself, the others are offered on the page.
function sendWaiting() {
  back = busy;
  if (busy) return;
  const waiting = unsent().find((entry) => entry.who === document.body.dataset.who);
  if (waiting) send(waiting);
}
addEventListener("online", sendWaiting);

// A closed page keeps its proposal from nobody.
addEventListener("pagehide", () => {
  const box = main().querySelector("#decide");
  if (box) navigator.sendBeacon(document.body.dataset.leave, new URLSearchParams({ csrf: document.body.dataset.csrf, proposal: box.dataset.proposal }));
});

// -- keys ---------------------------------------------------------------------------------------------------------------
const keysOn = () => localStorage.getItem("keys") !== "off";

function press(selector) {
  const found = main().querySelector(selector);
  if (found) found.click();
  return Boolean(found);
}

document.addEventListener("keydown", (event) => {
  const field = event.target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select");
  if (event.key === "Escape") {
    if (field) field.blur();
    for (const open of main().querySelectorAll(".slots details[open]")) { open.open = false; open.querySelector("summary").focus(); }
    return;
  }
  if (field && field.id === "tex" && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    press("button[value=approve_edited]");
    return;
  }
  if (field || event.ctrlKey || event.metaKey || event.altKey || event.repeat || busy || !keysOn()) return;
  if (dialog && dialog.open) return;
  if (event.key === "?" && dialog) { event.preventDefault(); dialog.showModal(); return; }
  if (event.key === "/") {
    const find = main().querySelector("#find");
    event.preventDefault();
    if (find) { find.focus(); find.select(); } else if (document.querySelector("nav a")) { sessionStorage.setItem("find", "1"); document.querySelector("nav a").click(); }
    return;
  }
  if (/^[1-9]$/.test(event.key)) {
    press(main().querySelector(".slots details[open] [data-choice]") ? `.slots details[open] [data-choice="${event.key}"]` : `[data-digit="${event.key}"]`);
    return;
  }
  const key = event.key.toLowerCase(), panel = main().querySelector({ r: "#reject", c: "#other" }[key] || "#none");
  if (panel) {
    event.preventDefault();
    panel.open = !panel.open;
    if (panel.open) panel.querySelector("button").focus();
    return;
  }
  if (key === "e" && main().querySelector("#edit")) {
    event.preventDefault();
    main().querySelector("#edit").open = true;
    const box = main().querySelector("#tex");
    box.focus();
    box.setSelectionRange(box.value.length, box.value.length);
    look(box);
    return;
  }
  if (key === "o") {
    const sources = main().querySelectorAll("[data-source]");
    if (sources.length) sources[opened++ % sources.length].click();
    return;
  }
  if (/^[aihlusznpy]$/.test(key)) {
    if (press(`[data-key="${key}"]`) || (key === "n" && press("#begin"))) event.preventDefault();
  }
});

// -- live preview -------------------------------------------------------------------------------------------------------
let waiting = 0, asked = 0;
async function look(box) {
  const mine = ++asked;
  const answer = await fetch(box.dataset.preview, {
    method: "POST", credentials: "same-origin",
    headers: { "X-CSRF-Token": document.body.dataset.csrf },
    body: new URLSearchParams({ proposal: box.dataset.proposal, tex: box.value }),
  });
  if (mine !== asked || !answer.ok || answer.redirected) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const place = document.getElementById("preview");
  if (place) place.replaceChildren(...[...page.body.childNodes].map((node) => document.adoptNode(node)));
}
document.addEventListener("input", (event) => {
  if (event.target.id !== "tex") return;
  clearTimeout(waiting);
  waiting = setTimeout(() => look(event.target), 150);
});
document.addEventListener("toggle", (event) => {
  if (event.target.id === "edit" && event.target.open && !document.getElementById("preview").hasChildNodes()) look(document.getElementById("tex"));
}, true);

// -- copying: of a formula its TeX, in dollars -----------------------------------------------------------------------------
document.addEventListener("copy", (event) => {
  const chosen = getSelection();
  if (!chosen.rangeCount || chosen.isCollapsed || event.target.closest("input, textarea")) return;
  const range = chosen.getRangeAt(0).cloneRange();
  const math = (node) => (node.nodeType === 1 ? node : node.parentNode).closest("math");
  // A part of a formula is the formula.
  if (math(range.startContainer)) range.setStartBefore(math(range.startContainer));
  if (math(range.endContainer)) range.setEndAfter(math(range.endContainer));
  const copied = document.createElement("div");
  copied.append(range.cloneContents());
  const found = copied.querySelectorAll("math[alttext]");
  if (!found.length) return;
  for (const each of found) each.replaceWith(`$${each.getAttribute("alttext")}$`);
  event.clipboardData.setData("text/plain", copied.textContent.replace(/[ \t]*\n\s*/g, "\n").trim());
  event.preventDefault();
});

// -- what a page needs when it comes ------------------------------------------------------------------------------------
function ready() {
  opened = 0;
  remind();
  // A long formula scrolls in its place: by keyboard too.
  for (const box of main().querySelectorAll(".formula, .value, .drawn, blockquote p, .list > li")) {
    if (box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight + 2) box.tabIndex = 0;
  }
  // A long quote opens at its formula.
  for (const mark of main().querySelectorAll("blockquote mark.subject")) {
    const box = mark.closest("p"), inside = mark.getBoundingClientRect().top - box.getBoundingClientRect().top;
    box.classList.toggle("long", box.scrollHeight > box.clientHeight + 2);
    if (inside > box.clientHeight / 2) box.scrollTop = inside - box.clientHeight / 3;
  }
  const green = document.getElementById("choose-green");
  if (green) {
    green.hidden = false;
    green.addEventListener("click", () => {
      const boxes = [...main().querySelectorAll("input[name=chosen]")];
      const all = boxes.every((box) => box.checked);
      for (const box of boxes) box.checked = !all;
    });
  }
  const symbols = main().querySelector("[data-all]");
  if (symbols) {
    symbols.hidden = false;
    symbols.addEventListener("click", () => {
      const rows = [...main().querySelectorAll(".proposed-symbols .choice")];
      const all = rows.every((row) => row.querySelector("[value=approve]").checked);
      for (const row of rows) row.querySelector(all ? "[value='']" : "[value=approve]").checked = true;
    });
  }
  const tab = document.querySelector("header nav a[aria-current]");
  if (tab && tab.parentNode.scrollWidth > tab.parentNode.clientWidth) tab.parentNode.scrollLeft = tab.offsetLeft - tab.parentNode.offsetLeft - 40;
  const preview = document.getElementById("preview-button");
  if (preview) preview.hidden = true;
  const find = main().querySelector("#find");
  if (find && sessionStorage.getItem("find")) { sessionStorage.removeItem("find"); find.focus(); }
}
const on = document.getElementById("keys-on");
if (on) {
  on.checked = keysOn();
  on.addEventListener("change", () => localStorage.setItem("keys", on.checked ? "on" : "off"));
}
document.documentElement.classList.add("js");
ready();
