// Formula proposals on item pages of a Wikibase. `formula-bot gadget` printed this for one wiki and one review server.
// It asks that server alone, stores nothing, and records a decision only on exactly what it shows.
(function () {
  "use strict";
  const SETUP = "%SETUP%";
  const mw = window.mw;
  const MATHML = new Set(("math mrow mi mn mo ms mtext mspace mfrac msqrt mroot mstyle merror mpadded mphantom msub msup msubsup munder mover " +
    "munderover mmultiscripts mprescripts none mtable mtr mtd menclose").split(" "));
  const ATTRIBUTES = new Set(("alttext display displaystyle scriptlevel mathvariant mathsize stretchy symmetric largeop movablelimits fence separator " +
    "lspace rspace minsize maxsize form accent accentunder linethickness width height depth voffset columnspan rowspan notation").split(" "));
  const STYLE = `
.formula-proposals { clear: both; margin: .5em 0; padding: .5em .8em; border: 1px solid var(--border-color-progressive, #36c); background: var(--background-color-progressive-subtle, #eaf3ff); color: var(--color-base, #202122); }
.formula-proposals p { margin: 0; }
.formula-proposals button { margin: .3em .5em 0 0; }
.formula-proposals-list.wikibase-statementlistview { clear: both; border-top: 0; }
.formula-proposal.wikibase-statementview { border-left: 0; padding-bottom: .8em; border-bottom: 1px solid var(--border-color-subtle, #c8ccd1); background: var(--background-color-base, #fff); color: var(--color-base, #202122); }
.formula-proposal .wikibase-statementview-mainsnak { margin-right: 0; }
.formula-proposal .wikibase-snakview-value { display: block; overflow: auto hidden; padding: .4em 0; }
.formula-proposal math { font-size: 1.15em; text-align: start; }
.formula-proposal .wikibase-statementview-mainsnak math[display=block] { width: fit-content; margin: 0; }
.formula-proposal .wikibase-statementview-references { padding-right: 10px; display: block; }
.formula-proposal-kind { display: flex; flex-wrap: wrap; align-items: baseline; gap: .1em .7em; margin: 0; font-size: .9em; }
.formula-proposal-kind b { padding: 0 .5em; border-radius: 2px; background: var(--background-color-progressive, #36c); color: var(--color-inverted-fixed, #fff); }
.formula-proposal blockquote { margin: .6em 0; padding: 0 0 0 .8em; border-left: 3px solid var(--border-color-subtle, #c8ccd1); overflow: auto hidden; }
.formula-proposal blockquote p { margin: 0; }
.formula-proposal mark { background: none; color: inherit; font-weight: bold; }
.formula-proposal cite { display: block; font-size: .9em; font-style: normal; }
.formula-proposal ul { margin: .4em 0; padding: 0; list-style: none; }
.formula-proposal li { margin: 0 0 .2em; padding: .2em .6em; background: var(--background-color-warning-subtle, #fef6e7); color: var(--color-base, #202122); }
.formula-proposal fieldset { margin: .6em 0; padding: 0; border: 0; min-width: 0; }
.formula-proposal legend { padding: 0; font-weight: bold; }
.formula-proposal label.wikibase-referenceview { display: flex; gap: .6em; margin: .3em 0; padding: .4em .6em; overflow-wrap: anywhere; }
.formula-proposal input { flex: none; width: 1.3em; height: 1.3em; margin: .1em 0 0; }
.formula-proposal label span { display: block; }
.formula-proposal-actions { display: flex; flex-wrap: wrap; align-items: center; gap: .5em; margin: .6em 0 0; }
.formula-proposals button, .formula-proposal button { box-sizing: border-box; min-height: 32px; padding: .25em .8em; border: 1px solid var(--border-color-interactive, #72777d); border-radius: 2px; background: var(--background-color-interactive-subtle, #f8f9fa); color: var(--color-base, #202122); font: inherit; cursor: pointer; }
.formula-proposals button.progressive, .formula-proposal button.progressive { border-color: var(--border-color-progressive, #36c); background: var(--background-color-progressive, #36c); color: var(--color-inverted-fixed, #fff); font-weight: bold; }
.formula-proposal button:disabled { opacity: .6; cursor: default; }
.formula-proposal-reasons:not([hidden]) { display: flex; flex-wrap: wrap; gap: .4em; margin: .5em 0 0; padding: .5em; background: var(--background-color-neutral-subtle, #f8f9fa); }
.formula-proposal [role=status] { margin: .5em 0 0; font-weight: bold; }
.formula-proposal [role=status]:empty { display: none; }
.formula-proposal a, .formula-proposals a { text-decoration: underline; }
.formula-proposal-kind b a { color: inherit; }
.skin-minerva .formula-proposal { padding: .6em .4em .8em; }
.skin-minerva .formula-proposals-group { margin: 1em 0; border: 0; border-top: 1px solid var(--border-color-subtle, #c8ccd1); background: var(--background-color-base, #fff); color: var(--color-base, #202122); }
.skin-minerva .formula-proposals-group .wikibase-statementgroupview-property { padding: .4em; font-weight: bold; }
`;
  const language = String((mw && mw.config && mw.config.get("wgUserLanguage")) || document.documentElement.lang || "en");
  const words = SETUP.words[language] || SETUP.words[language.split("-")[0]] || SETUP.words.en;
  let item = "";
  let token = ""; // in this page alone: it ends with the page, or with the session on the review server
  let menu = null;
  let panel = null;
  let readOnly = true;
  const cards = {}; // id of a proposal -> {node, what it says, whether it was decided here}

  function say(code, values) {
    return words[code].replace(/\{(\w+)\}/g, (found, name) => (values && name in values ? String(values[name]) : found));
  }

  // All that comes from outside goes through here as text, never as markup.
  function make(tag, attributes) {
    const made = document.createElement(tag);
    for (const name of Object.keys(attributes || {})) {
      if (name.slice(0, 2) === "on") made.addEventListener(name.slice(2), attributes[name]);
      else made.setAttribute(name, attributes[name]);
    }
    for (const child of Array.prototype.slice.call(arguments, 2)) if (child !== null) made.append(child);
    return made;
  }

  function link(address, text) {
    return /^https?:\/\//.test(address) ? make("a", { href: address, rel: "noreferrer noopener", target: "_blank" }, text) : document.createTextNode(text);
  }

  // Of MathML only its own elements and the attributes that set type are taken over; anything else becomes its text.
  function formula(markup) {
    const read = new DOMParser().parseFromString(markup, "text/html").body.firstElementChild;
    return read && read.localName === "math" ? copy(read) : make("code", {}, read ? read.textContent : markup);
  }

  function copy(node) {
    if (!MATHML.has(node.localName)) return document.createTextNode(node.textContent);
    const made = document.createElementNS("http://www.w3.org/1998/Math/MathML", node.localName);
    for (const each of Array.from(node.attributes)) {
      if (ATTRIBUTES.has(each.name) || (each.name === "style" && /^[\w\s:;.%#-]*$/.test(each.value))) made.setAttribute(each.name, each.value);
    }
    made.append.apply(made, Array.from(node.childNodes, copy));
    return made;
  }

  // -- the server -----------------------------------------------------------------------------------------------------
  // Resolves to {code, answer}; code is 0 where the server does not answer, or answers with what is none of its own.
  function ask(path, body) {
    const headers = token ? { Authorization: "Bearer " + token } : {};
    if (body) headers["Content-Type"] = "application/json";
    const wanted = { method: body ? "POST" : "GET", headers: headers, credentials: "omit", cache: "no-store", referrerPolicy: "no-referrer" };
    if (body) wanted.body = JSON.stringify(body);
    if (AbortSignal.timeout) wanted.signal = AbortSignal.timeout(20000);
    return fetch(SETUP.server + "/api/v1/" + path, wanted)
      .then((answer) => answer.json().then((read) => ({ code: answer.status >= 500 || answer.status === 429 ? 0 : answer.status, answer: read })))
      .catch(() => ({ code: 0, answer: null }));
  }

  function load() {
    tell("loading");
    return ask("items/" + item + "/proposals?lang=" + encodeURIComponent(language.split("-")[0])).then((found) => {
      if (found.code === 200) return show(found.answer);
      token = found.code === 401 ? "" : token;
      if (found.code === 401) return signIn();
      return tell("away", {}, "again", load);
    });
  }

  function signIn() {
    return tell("signed_out", {}, "sign_in", connect);
  }

  function connect() {
    const opened = window.open(SETUP.server + "/connect?lang=" + encodeURIComponent(language.split("-")[0]), "formula-review", "popup,width=560,height=640");
    if (!opened) return tell("blocked", {}, "sign_in", connect);
    window.addEventListener("message", function take(event) {
      if (event.origin !== SETUP.server || event.source !== opened || !event.data || typeof event.data.formulaReview !== "string") return;
      window.removeEventListener("message", take);
      token = event.data.formulaReview;
      load();
    });
    return null;
  }

  // -- what is shown --------------------------------------------------------------------------------------------------
  // One sentence at the head of the statements, with what can be done; and the entry of the menu.
  function tell(code, values, action, act) {
    const quiet = code === "loading" || (code === "none" && !token);
    panel.hidden = quiet || (code === "signed_out" && !panel.dataset.asked);
    panel.replaceChildren(make("p", { role: "status" }, say(code, values)));
    if (action) panel.append(make("button", { type: "button", onclick: () => { panel.dataset.asked = "1"; act(); } }, say(action)));
    menu.textContent = code === "open" || code === "none" ? say("menu_n", { n: (values && values.n) || 0 }) : words["menu_" + code] || say("menu");
    return null;
  }

  // Cards that say what they said stay as they are, with what was ticked; so do those that were decided here, with their Undo.
  function show(answer) {
    const waiting = answer.proposals.map((each) => each.id);
    for (const id of Object.keys(cards)) if (!waiting.includes(id) && !cards[id].decided) remove(id);
    for (const each of answer.proposals) {
      const said = JSON.stringify(each);
      const before = cards[each.id];
      if (before && before.said === said && !before.decided) continue;
      const node = card(each);
      if (before) before.node.replaceWith(node);
      else place(each).append(node);
      cards[each.id] = { node: node, said: said, decided: false };
    }
    for (const each of Array.from(document.querySelectorAll(".formula-proposal .wikibase-snakview-value, .formula-proposal blockquote"))) {
      if (each.scrollWidth > each.clientWidth) each.tabIndex = 0; // what is scrolled can be reached by keyboard
    }
    readOnly = !answer.reviewer;
    count();
  }

  function count() {
    const n = Object.keys(cards).filter((id) => !cards[id].decided).length;
    if (n) tell("open", { n: n }, readOnly ? "sign_in" : "", connect);
    else tell("none");
  }

  function remove(id) {
    const list = cards[id].node.closest(".formula-proposals-list");
    cards[id].node.remove();
    delete cards[id];
    if (list.querySelector(".formula-proposal")) return;
    (list.closest(".formula-proposals-group") || list).remove();
  }

  // In the property's group, or in a new one at the end of the statements. Wikibase's own lists are left as they are; those of
  // its newer mobile view are drawn anew at any time, so that a group of ours stands before them.
  function place(proposal) {
    const groups = Array.from(document.querySelectorAll(".wikibase-statementgroupview"));
    let group = groups.filter((each) => each.dataset.propertyId === proposal.property)[0];
    if (!group) {
      const name = make("a", { href: SETUP.page.replace("$1", proposal.property), title: "Property:" + proposal.property }, proposal.property_name);
      group = make("div", { class: "wikibase-statementgroupview formula-proposals-group", "data-property-id": proposal.property },
        make("div", { class: "wikibase-statementgroupview-property" }, make("div", { class: "wikibase-statementgroupview-property-label", dir: "auto" }, name)));
      if (!document.getElementById(proposal.property)) group.id = proposal.property;
      section().append(group);
    }
    const there = group.querySelector(".formula-proposals-list > div");
    if (there) return there;
    const list = make("div", { class: "wikibase-statementlistview-listview" });
    group.append(make("div", { class: "wikibase-statementlistview formula-proposals-list" }, list));
    return list;
  }

  function statements() {
    return document.querySelector(".wikibase-statementgrouplistview, #wikibase-wbui2025-statementgrouplistview");
  }

  function section() {
    const groups = statements();
    if (groups.matches(".wikibase-statementgrouplistview")) return groups.querySelector(".wikibase-listview") || groups;
    if (!groups.previousElementSibling.matches(".formula-proposals-groups")) groups.before(make("div", { class: "formula-proposals-groups" }));
    return groups.previousElementSibling;
  }

  function card(proposal) {
    const status = make("p", { role: "status" });
    const kind = make("p", { class: "formula-proposal-kind" },
      make("b", {}, proposal.statement ? make("a", { href: "#" + proposal.statement }, say(proposal.kind)) : say(proposal.kind)),
      make("span", {}, proposal.percent + " % – " + say("estimate")));
    const told = make("div", { class: "wikibase-statementview-references" });
    const made = make("div", { class: "wikibase-statementview wb-normal formula-proposal", id: "formula-proposal-" + proposal.id, role: "group", "aria-label": say(proposal.kind) },
      make("div", { class: "wikibase-statementview-mainsnak-container" },
        make("div", { class: "wikibase-statementview-mainsnak", dir: "auto" },
          make("div", { class: "wikibase-snakview" },
            make("div", { class: "wikibase-snakview-value-container", dir: "auto" },
              make("div", { class: "wikibase-snakview-body" }, kind,
                make("div", { class: "wikibase-snakview-value wikibase-snakview-variation-valuesnak" }, formula(proposal.drawn)), make("code", {}, proposal.tex)))))),
      make("div", { class: "wikibase-statementview-references-container" }, told));
    if (proposal.warnings.length) told.append(make.apply(null, ["ul", {}].concat(proposal.warnings.map((pieces) => prose("li", pieces)))));
    for (const each of proposal.quotes) told.append(quote(each));
    const boxes = [];
    if (proposal.references.length) told.append(references(proposal.references, boxes, proposal.answers.includes("approve")));
    const actions = make("div", { class: "formula-proposal-actions" });
    const decide = (body, done) => send(proposal, body, told, status, done);
    if (proposal.looked_at_by) status.textContent = say("looked_at", { name: proposal.looked_at_by });
    if (proposal.answers.includes("approve")) {
      actions.append(make("button", { type: "button", class: "progressive", onclick: () => {
        const given = boxes.map((box) => (box.checked ? "approve" : "reject"));
        if (!given.includes("approve")) status.textContent = say("tick_one");
        else decide({ verdict: "approve", references: given });
      } }, say(proposal.second ? "approve_second" : "approve")));
    }
    const reasons = make("div", { class: "formula-proposal-reasons", role: "group", "aria-label": say("reasons"), hidden: "" });
    if (proposal.answers.includes("reject")) {
      const open = make("button", { type: "button", "aria-expanded": "false", onclick: () => {
        reasons.hidden = !reasons.hidden;
        open.setAttribute("aria-expanded", String(!reasons.hidden));
      } }, say("reject") + "…");
      actions.append(open);
      for (const reason of SETUP.reasons) {
        const done = say("rejected", { reason: say("reason_" + reason) });
        reasons.append(make("button", { type: "button", onclick: () => decide({ verdict: "reject", reason: reason }, done) }, say("reason_" + reason)));
      }
    }
    actions.append(link(SETUP.server + proposal.address, say("card")));
    told.append(actions, reasons, status);
    return made;
  }

  function prose(tag, pieces) {
    const made = make(tag, {});
    for (const piece of pieces) {
      if (piece.kind === "formula" || piece.kind === "subject") made.append(formula(piece.text));
      else made.append(piece.kind === "name" ? make("mark", {}, piece.text) : piece.text);
    }
    return made;
  }

  function quote(each) {
    return make("blockquote", {}, prose("p", each.pieces), make("cite", {}, link(each.link, each.title)));
  }

  function references(given, boxes, open) {
    const made = make("fieldset", {}, make("legend", {}, open ? say("sources") : say("sources_read")));
    for (const reference of given) {
      const text = make("span", {});
      for (const snak of reference) text.append(make("span", {}, snak.name + ": ", link(snak.link, snak.value)));
      const box = make("input", { type: "checkbox" });
      box.checked = true;
      boxes.push(box);
      made.append(make("label", { class: "wikibase-referenceview" }, open ? box : null, text));
    }
    return made;
  }

  // Send a decision on the content that is shown; `words` makes the server refuse it where somebody decided since.
  function send(proposal, body, told, status, done) {
    const buttons = Array.from(told.querySelectorAll("button"));
    for (const each of buttons) each.disabled = true;
    status.textContent = say("sending");
    return ask("proposals/" + proposal.id + "/decisions", Object.assign({ hash: proposal.hash, words: proposal.words }, body)).then((found) => {
      for (const each of buttons) each.disabled = false;
      if (found.code === 201) return decided(proposal, body, told, status, done || say(found.answer.waits_for_second ? "approved_first" : "approved"));
      if (found.code === 409) return conflict(proposal, status);
      status.textContent = say(found.code === 401 ? "signed_out_since" : found.code === 0 ? "unsure" : "refused");
      if (found.code === 401) status.append(" ", make("button", { type: "button", onclick: connect }, say("sign_in")));
      return null;
    });
  }

  function decided(proposal, body, told, status, done) {
    if (body.verdict === "withdraw") return load().then(() => cards[proposal.id] && focusOn(cards[proposal.id].node));
    const again = Object.assign({}, proposal, { words: proposal.words + 1 });
    const undo = make("button", { type: "button", onclick: () => send(again, { verdict: "withdraw" }, told, status) }, say("undo"));
    told.querySelector(".formula-proposal-actions").replaceChildren(undo, link(SETUP.server + proposal.address, say("card")));
    told.querySelector(".formula-proposal-reasons").hidden = true;
    for (const box of Array.from(told.querySelectorAll("input"))) box.disabled = true;
    cards[proposal.id].decided = true;
    count();
    status.textContent = done;
    undo.focus();
    return null;
  }

  // It changed, or somebody else was quicker: show what is there now, and say so in one sentence.
  function conflict(proposal, status) {
    cards[proposal.id].decided = false;
    const before = cards[proposal.id].node;
    return load().then(() => {
      const now = cards[proposal.id];
      if (!now) {
        panel.querySelector("p").textContent = say("decided_since");
        panel.hidden = false;
        return focusOn(panel);
      }
      if (now.node === before) {
        status.textContent = say("refused");
        return null;
      }
      const said = now.node.querySelector("[role=status]");
      said.textContent = said.textContent ? said.textContent + " " + say("not_recorded") : say("changed_since");
      return focusOn(now.node);
    });
  }

  function focusOn(node) {
    node.tabIndex = -1;
    node.focus();
    return null;
  }

  // -- the beginning --------------------------------------------------------------------------------------------------
  function itemOfPage() {
    const set = (name) => mw && mw.config && mw.config.get(name);
    if (set("wgDiffNewId") || set("wgRevisionId") !== set("wgCurRevisionId")) return ""; // not the item as it is now
    const known = set("wbEntityId");
    const view = document.querySelector(".wikibase-entityview[id^='wb-item-']");
    const id = String(known || (view && view.id.slice("wb-item-".length)) || "");
    return /^Q[1-9]\d*$/.test(id) && statements() ? id : "";
  }

  function entry() {
    const asked = (event) => {
      event.preventDefault();
      panel.dataset.asked = "1";
      panel.hidden = false;
      const button = panel.querySelector("button");
      if (button && button.textContent === say("sign_in")) connect();
      else (document.querySelector(".formula-proposal") || panel).scrollIntoView({ block: "center" });
    };
    const list = document.querySelector("#p-associated-pages ul, #p-namespaces ul, #p-tb ul");
    let made = null;
    if (mw && mw.util && mw.util.addPortletLink) {
      const portlet = ["p-associated-pages", "p-namespaces", "p-tb"].filter((id) => document.getElementById(id))[0];
      made = portlet ? mw.util.addPortletLink(portlet, "#claims", say("menu"), "t-formula-proposals") : null;
    } else if (list) {
      made = make("li", { id: "t-formula-proposals" }, make("a", { href: "#claims" }, say("menu")));
      list.append(made);
    }
    if (!made) panel.dataset.asked = "1"; // without a menu all is said above the statements
    const anchor = made ? made.querySelector("a") : make("a", { href: "#claims" }, "");
    anchor.addEventListener("click", asked);
    return anchor.querySelector("span") || anchor;
  }

  function start() {
    item = itemOfPage();
    if (panel || !item || location.origin !== SETUP.wiki) return;
    document.head.append(make("style", {}, STYLE));
    panel = make("section", { class: "formula-proposals", "aria-label": say("menu"), hidden: "" });
    statements().before(panel);
    menu = entry();
    if (SETUP.everyone) load();
    else signIn(); // until a person signs in, the server is not asked, and learns nothing of who reads what
  }

  // Wikibase builds its editing tools out of the statements that it finds: ours come after that.
  if (mw && mw.hook && mw.config.get("wbIsEditView") && mw.config.get("skin") !== "minerva") {
    mw.hook("wikibase.entityPage.entityView.rendered").add(start);
  } else if (document.readyState === "loading") {
    document.addEventListener("DOMContentLoaded", start);
  } else {
    start();
  }
})();
