// A ranking: rows of what is compared, columns of measures, one table for each tab. Cells are coloured from worst to best of
// their column over all tabs, so that a colour means the same everywhere; the number stands in each of them. A click on a head
// sorts; a row that the study leaves out says why.
import { el, fmt, slug, unitText } from "./dom.js";
import { onTheme, ramp, theme } from "./theme.js";

// From worst to best: lightness and hue both change, text on them keeps its contrast.
const GOOD_LIGHT = ["#f3b8a0", "#f9dfcd", "#f3f4ef", "#cfe6e0", "#8fcdbb"];
const GOOD_DARK = ["#7a3b22", "#553b31", "#343a40", "#27504a", "#16705c"];

/** Worst and best value of column k over all tabs. */
function rangeOf(spec, k) {
  const all = spec.tabs.flatMap((t) => t.rows.map((r) => r.cells[k]?.v)).filter((v) => typeof v === "number");
  return all.length ? [Math.min(...all), Math.max(...all)] : [0, 0];
}

function goodness(column, [low, high], v) {
  if (typeof v !== "number" || !column.better || !(high > low)) return null;
  const at = (x) => (column.log ? Math.log(Math.max(x, 1)) : x);
  if (at(high) <= at(low)) return null;
  const share = (at(v) - at(low)) / (at(high) - at(low));
  return column.better === "low" ? 1 - share : share;
}

/** All values of a column have as many decimals as its greatest needs. */
const decimals = ([low, high]) => (Math.max(Math.abs(low), Math.abs(high)) < 10 ? 2 : Math.max(Math.abs(low), Math.abs(high)) < 100 ? 1 : 0);
const fixed = (v, range) => (typeof v === "number" ? v.toFixed(decimals(range)).replace("-", "−") : fmt(v));

const rankText = (r) => (r.rank ? `${r.tied ? "=" : ""}${r.rank}` : "–");

function cellOf(spec, k, range, c) {
  const column = spec.columns[k], good = goodness(column, range, c.v);
  const node = el("td", { class: "num", title: typeof c.ci === "number" ? `${fmt(c.v, 4)} ± ${fmt(c.ci, 2)} (95 % interval, ${c.seeds.length} seeds)` : null },
    fixed(c.v, range), typeof c.ci === "number" && c.ci > 0 ? el("span", { class: "ci" }, ` ±${fixed(c.ci, range)}`) : null);
  if (good !== null) {
    const paint = () => { node.style.background = ramp(theme().dark ? GOOD_DARK : GOOD_LIGHT, good); };
    paint();
    onTheme(paint);
  }
  return node;
}

const BY_NAME = Number.MAX_SAFE_INTEGER;
const valueOf = (r, by) => (by < 0 ? r.rank : by === BY_NAME ? r.name : r.cells[by]?.v);

/** Rows with a value in order, the others behind them. */
function sorted(rows, by, up) {
  const have = (r) => valueOf(r, by) !== null && valueOf(r, by) !== undefined;
  const order = (a, b) => (by === BY_NAME ? String(a.name).localeCompare(b.name) : valueOf(a, by) - valueOf(b, by)) * (up ? 1 : -1);
  return [...rows.filter(have).sort(order), ...rows.filter((r) => !have(r))];
}

function rowOf(spec, ranges, r) {
  const head = [el("td", { class: "num rank" }, rankText(r)),
    el("th", { scope: "row" }, r.name, r.group ? el("span", { class: "kind" }, ` ${r.group}`) : null)];
  if (!r.cells.some((c) => typeof c.v === "number"))
    return el("tr", { class: "left-out" }, head, el("td", { colspan: String(spec.columns.length) }, r.why || "no result"));
  return el("tr", {}, head, r.cells.map((c, k) => cellOf(spec, k, ranges[k], c)));
}

/** The table of a tab, which sorts itself. */
function tableOf(spec, tab, ranges) {
  let by = -1, up = true;
  const body = el("tbody", {});
  const heads = [];
  const fill = () => {
    body.replaceChildren(...sorted(tab.rows, by, up).map((r) => rowOf(spec, ranges, r)));
    for (const h of heads) h.node.setAttribute("aria-sort", h.by === by ? (up ? "ascending" : "descending") : "none");
  };
  const head = (label, at, first, title) => {
    const node = el("th", { scope: "col", class: at === BY_NAME ? null : "num", "aria-sort": "none" },
      el("button", { type: "button", class: "sort", title: title || "Sort", onclick: () => {
        up = by === at ? !up : first;
        by = at;
        fill();
      } }, label));
    heads.push({ node, by: at });
    return node;
  };
  const table = el("table", { class: "data ranking" }, el("thead", {}, el("tr", {},
    head("rank", -1, true, `By ${spec.columns[spec.rank]?.name}`), head(spec.rows || "", BY_NAME, true),
    spec.columns.map((c, k) => head(c.unit ? `${c.name} (${unitText(c.unit)})` : c.name, k, c.better === "low")))), body);
  fill();
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": tab.name || spec.title }, table);
}

export function rankingElement(spec, owner) {
  const ranges = spec.columns.map((_, k) => rangeOf(spec, k));
  const id = slug("tab", owner, spec.name);
  const panels = spec.tabs.map((t, i) => el("div", { role: spec.tabs.length > 1 ? "tabpanel" : null, id: `${id}-${i}`, class: "tab-panel", "data-tab": t.name },
    el("p", { class: "tab-name" }, t.name), tableOf(spec, t, ranges)));
  const buttons = spec.tabs.map((t, i) => el("button", { type: "button", class: "chip", role: "tab", "aria-controls": `${id}-${i}`, onclick: () => show(i),
    onkeydown: (e) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
      if (step) show((i + step + buttons.length) % buttons.length, true);
    } }, t.name));
  const show = (at, focus) => {
    panels.forEach((p, i) => p.classList.toggle("tab-off", i !== at));
    buttons.forEach((b, i) => {
      b.setAttribute("aria-selected", String(i === at));
      b.tabIndex = i === at ? 0 : -1;
    });
    if (focus) buttons[at].focus();
  };
  show(0);
  const scale = el("p", { class: "note good-scale" }, "worst of its column ", el("span", { class: "good-ramp" }), " best; = : the seeds do not tell it from the first row of this rank; ± 95 % interval.");
  return el("div", {}, spec.tabs.length > 1 ? el("div", { class: "tabs", role: "tablist" }, buttons) : null, panels, scale);
}
