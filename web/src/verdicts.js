// Checks and their verdicts. A verdict is a sign and a word; colour only helps.
import { el, fmt, slug } from "./dom.js";

export const STATES = ["pass", "fail", "not-run", "recorded"];
const SIGN = { pass: "✓", fail: "✗", "not-run": "○", recorded: "•" };
const WORD = { pass: "pass", fail: "fail", "not-run": "not run", recorded: "recorded" };

export function stateMark(state, count) {
  return el("span", { class: `state ${STATES.includes(state) ? state : ""}` }, el("span", { class: "sign", "aria-hidden": "true" }, SIGN[state] || "?"),
    count === undefined ? ` ${WORD[state] || state}` : ` ${count} ${WORD[state] || state}`);
}

/** The verdict and, if other seeds could turn it, the word for that. */
export const verdictMark = (v) => [stateMark(v.state), v.narrow ? el("div", { class: "where", title: "other seeds could turn this verdict" }, "narrow") : null];

export function tally(verdicts) {
  const t = { all: verdicts.length };
  for (const s of STATES) t[s] = verdicts.filter((v) => v.state === s).length;
  return t;
}

export function tallyCells(verdicts) {
  const t = tally(verdicts);
  const cells = ["all", ...STATES].map((k) => el("td", { class: `num ${k === "fail" && t[k] ? "bad" : ""}` }, t[k] ? fmt(t[k]) : el("span", { class: "zero" }, "0")));
  const bar = el("div", { class: "share", role: "img", "aria-label": STATES.map((s) => `${t[s]} ${WORD[s]}`).join(", ") },
    STATES.filter((s) => t[s]).map((s) => el("span", { class: s, style: `flex-grow:${t[s]}`, title: `${t[s]} ${WORD[s]}` })));
  return [...cells, el("td", {}, bar)];
}

// -- what was measured --

const FEW = 8; // items; more are folded

const value = (item) => `${fmt(item.value)}${typeof item.ci === "number" ? ` ± ${fmt(item.ci, 2)}` : ""}`;

/** What the seeds gave one by one, where the verdict hangs on them. */
const range = (item) => item.narrow && typeof item.least === "number" ? el("div", { class: "where" }, `narrow, ${fmt(item.least)} to ${fmt(item.most)}`) : null;

function wanted(item) {
  const low = typeof item.low === "number", high = typeof item.high === "number";
  if (low && high && fmt(item.low) === fmt(item.high)) return `= ${fmt(item.low)}`;
  if (low && high) return `${fmt(item.low)} to ${fmt(item.high)}`;
  return low ? `≥ ${fmt(item.low)}` : high ? `≤ ${fmt(item.high)}` : "";
}

function itemTable(items) {
  return el("table", { class: "items" }, el("tbody", {}, items.map((i) => el("tr", {},
    el("td", {}, el("span", { class: `sign ${i.pass === false ? "fail" : i.pass === true ? "pass" : ""}`, title: i.pass === false ? "outside" : i.pass === true ? "within" : "not judged" }, i.pass === false ? "✗" : i.pass === true ? "✓" : "•")),
    el("td", {}, i.what || "", i.note ? el("div", { class: "where" }, i.note) : null), el("td", { class: "num" }, value(i), range(i)), el("td", { class: "num want" }, wanted(i))))));
}

function measured(v) {
  const items = Array.isArray(v.items) ? v.items : [];
  const text = v.measured === null || v.measured === undefined || v.measured === "" ? (items.length === 1 ? value(items[0]) : "") : fmt(v.measured);
  if (items.length === 0) return text || "–";
  if (items.length === 1 && (!items[0].what || items[0].what === "value") && !items[0].note) return text;
  // The text only lists the items again.
  if (items.length <= FEW) return itemTable(items);
  const bad = items.filter((i) => i.pass === false).length;
  return el("details", { class: "small" }, el("summary", {}, `${items.length} values${bad ? `, ${bad} outside` : ", all within"}`), itemTable(items));
}

/** "value 13" says no more than "13". */
const plain = (expected) => fmt(expected).replace(/^values? (?=\S)/, "");

const cell = (label, content, cls) => el("td", { "data-label": label, class: cls || null }, content);

/** `scale` only makes the ids differ between two scales of one experiment. */
export function verdictTable(verdicts, scale) {
  if (verdicts.length === 0) return null;
  const rows = verdicts.flatMap((v) => {
    const id = slug("check", v.id, scale);
    const row = el("tr", { id, class: `verdict ${v.state}` },
      el("th", { scope: "row", "data-label": "check" }, el("a", { class: "anchor", href: `#${id}` }, v.id), v.where ? el("div", { class: "where" }, v.where) : null),
      cell("what", v.metric || ""), cell("expected", plain(v.expected)), cell("tolerance", [el("span", {}, fmt(v.tolerance)), v.kind && v.kind !== v.tolerance ? el("div", { class: "where" }, v.kind) : null]), cell("measured", measured(v), "measured"), cell("verdict", verdictMark(v)));
    return v.explain ? [row, el("tr", { class: "explain" }, el("td", { colspan: 6 }, el("div", {}, el("span", { class: "because" }, v.state === "fail" ? "Why it fails. " : "Note. "), v.explain)))] : [row];
  });
  return el("table", { class: "data verdicts" },
    el("thead", {}, el("tr", {}, ["check", "what", "expected", "tolerance", "measured", "verdict"].map((c) => el("th", { scope: "col" }, c)))), el("tbody", {}, rows));
}

// -- all checks, with a filter --

/** Two lines at most; the whole text is in the section of the experiment. */
const clamp = (text) => el("div", { class: "clamp", title: text.length > 60 ? text : null }, text);

export function allChecks(report, many, experimentId) {
  const rows = [];
  const add = (v, e, href) => {
    const text = [v.id, v.metric, v.where, v.paper, e.name, e.title, v.expected, v.narrow].filter(Boolean).join(" ").toLowerCase();
    rows.push({ state: v.state, text, node: el("tr", {}, el("th", { scope: "row", "data-label": "check" }, el("a", { href }, v.id)),
      cell("verdict", verdictMark(v)), cell("experiment", el("a", { href: `#${experimentId(e)}` }, e.name + (many && e.scale ? ` (${e.scale})` : ""))),
      cell("what", clamp(v.metric || "")), cell("expected", clamp(plain(v.expected))), cell("measured", clamp(fmt(v.measured)))) });
  };
  report.experiments.forEach((e) => e.verdicts.forEach((v) => add(v, e, `#${slug("check", v.id, many ? e.scale : "")}`)));
  if (rows.length === 0) return null;
  const off = new Set();
  const body = el("tbody", {}, rows.map((r) => r.node));
  const count = el("span", { class: "count", role: "status" });
  const search = el("input", { type: "search", placeholder: "Search by id, words, experiment", "aria-label": "Search checks", oninput: () => { box.open = true; apply(); } });
  const box = el("details", { open: rows.length <= 25 && window.innerWidth > 760 }, el("summary", {}, "List of checks ", count),
    el("table", { class: "data verdicts short" }, el("thead", {}, el("tr", {}, ["check", "verdict", "experiment", "what", "expected", "measured"].map((c) => el("th", { scope: "col" }, c)))), body));
  function apply() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const r of rows) {
      const fits = !off.has(r.state) && words.every((w) => r.text.includes(w));
      r.node.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown === rows.length ? `(${rows.length})` : `(${shown} of ${rows.length})`;
  }
  const chips = STATES.filter((s) => rows.some((r) => r.state === s)).map((s) => el("button", { type: "button", class: "chip", "aria-pressed": "true", onclick: (event) => {
    if (off.has(s)) off.delete(s);
    else off.add(s);
    event.currentTarget.setAttribute("aria-pressed", String(!off.has(s)));
    box.open = true;
    apply();
  } }, stateMark(s, rows.filter((r) => r.state === s).length)));
  apply();
  return el("section", { id: "checks", "aria-label": "All checks" }, el("h2", {}, el("a", { class: "anchor", href: "#checks" }, "All checks")),
    el("div", { class: "filter" }, search, el("div", { class: "chips", role: "group", "aria-label": "Verdicts shown" }, chips)), box);
}
