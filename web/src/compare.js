// Runs beside each other: by which settings they differ, what came out, their curves in one figure, two of
// them side by side on one clock.
import { addedUp, ratesOf, sizeUnit, stateOf, timeUnit, unitsOf } from "./amounts.js";
import { el, fmt, withUnit } from "./dom.js";
import { figureElement } from "./figure.js";
import { aboutTrees, judged, onlyUnjudged } from "./judged.js";
import { differences, runLabels } from "./labels.js";

export const scalarsOf = (r) => new Map((r.scalars || []).map((s) => [s[0], s[2]]));

/** One curve per run: all traffic entries together, or the curve of this name; null where the runs' figures do not fit together. */
function overlay(runs, labels, { from, name, title, note, curve }) {
  const figures = runs.map((r) => (r.figures || []).find((f) => f.name === from));
  const units = new Set(figures.filter(Boolean).map((f) => `${f.x?.unit} ${f.y?.unit}`));
  const series = figures.map((f, i) => ({ name: labels[i], points: addedUp((f?.series || []).filter((s) => !curve || s.name === curve), runs[i].hosts) })).filter((s) => s.points);
  if (series.length < 2 || units.size !== 1) return null;
  const first = figures.find(Boolean), ends = figures.filter(Boolean).map((f) => f.x?.max).filter((v) => typeof v === "number");
  return { name, title, kind: first.kind, note, x: { ...first.x, max: ends.length ? Math.max(...ends) : first.x?.max }, y: first.y, series };
}

/** The cycle and flit of runs that all have the same; others are compared in SI units. */
function shared(scalars) {
  const [one, ...others] = scalars.map(unitsOf);
  return one?.cycle > 0 && one.flit > 0 && others.every((u) => u.cycle === one.cycle && u.flit === one.flit) ? one : null;
}
const withoutUnits = (s) => new Map([...s].filter(([k]) => !/_flits$/.test(k)));

/** Three large numbers of two runs: what it was and what it became. */
function change(drawn) {
  if (drawn.length !== 2) return null;
  const [a, b] = drawn.map(scalarsOf), out = [];
  const tile = (label, x, y, unit, note) => out.push(el("div", {}, el("dt", {}, label), el("dd", {}, `${fmt(x, 3)} → ${fmt(y, 3)}`, el("span", { class: "unit" }, ` ${unit}`)), note ? el("p", { class: "tile-note" }, note) : null));
  const units = shared([a, b]), rates = [a, b].map((s) => ratesOf(units ? s : withoutUnits(s)));
  const [by, word] = timeUnit(Math.max(a.get("latency_ns.p99") ?? 0, b.get("latency_ns.p99") ?? 0) / 1e6, units);
  const both = (k) => typeof a.get(k) === "number" && typeof b.get(k) === "number";
  const times = (x, y) => (x > 0 && y > 0 ? (fmt(y / x, 2) === "1" ? "the same" : y >= x ? `${fmt(y / x, 2)} times as much` : `${fmt((1 - y / x) * 100, 2)} % less`) : null);
  if (rates.every((r) => typeof r.total === "number")) tile("throughput", rates[0].total, rates[1].total, rates[0].unit, times(rates[0].total, rates[1].total));
  if (both("latency_ns.p99")) tile("99 % of packets within", (a.get("latency_ns.p99") / 1e6) * by, (b.get("latency_ns.p99") / 1e6) * by, word, times(a.get("latency_ns.p99"), b.get("latency_ns.p99")));
  const nets = drawn.map((r) => r.figures.find((f) => f.kind === "network")).filter(Boolean), held = (f) => f.links.reduce((s, l) => s + ((Array.isArray(l) ? l[3] : l.queue) || 0), 0);
  // A run that is shorter than its sampling has no means of queues; its trees hold what was seen.
  const unseen = nets.some((f) => held(f) === 0 && f.trees?.length), inTrees = (f) => (f.trees || []).reduce((s, t) => s + (t.bytes_mean || 0), 0);
  const [x, y] = nets.map(unseen ? inTrees : held), unit = sizeUnit(Math.max(x, y, 1024), units);
  const links = (n) => fmt(judged(n)[0]?.links ?? 0), apart = nets.some(onlyUnjudged);
  if (nets.length === 2 && !(unseen && apart)) tile(unseen ? "stands in trees" : "waits in switches", x / unit[0], y / unit[0], unit[1], nets.every((n) => n.trees) && !apart ? `heaviest tree: ${links(nets[0])} → ${links(nets[1])} links` : "mean after the warm-up");
  return el("dl", { class: "tiles large" }, out);
}

export function compareRuns(runs, table) {
  const drawn = runs.filter((r) => r.figures);
  if (drawn.length < 2) return table;
  const labels = runLabels(drawn), mark = (node) => { node.dataset.made = "page"; return node; };
  const specs = [overlay(drawn, labels, { from: "throughput", name: "all-throughput", title: "Throughput over time", note: "All traffic entries together." }),
    overlay(drawn, labels, { from: "latency", name: "all-latency", title: "Latency over time" }),
    overlay(drawn, labels, { from: "distribution", name: "all-distribution", title: "Distribution of latency", curve: "latency", note: "Share of packets that took at most so long." })].filter(Boolean);
  return [el("div", { class: "opening" }, change(drawn), sideBySide(drawn, labels)), el("div", { class: "run-table" }, table), el("div", { class: "figures" }, specs.map((s) => mark(figureElement([s], "compare", () => null))))];
}

/** Two runs, chosen by the reader, each drawn as the network that it has; at first the newest, and the oldest of the same network
 *  if there is one. */
function sideBySide(runs, labels) {
  const nets = runs.map((r, i) => ({ run: r, label: labels[i], spec: (r.figures || []).find((f) => f.kind === "network") })).filter((n) => n.spec);
  if (nets.length < 2) return null;
  const size = (n) => `${n.spec.nodes.length} ${n.spec.links.length}`, last = nets.length - 1;
  const twin = nets.findIndex((n) => size(n) === size(nets[last]));
  const box = el("div", {});
  const choice = (k) => el("select", { "aria-label": `Run ${k + 1}`, onchange: () => build() }, nets.map((n, i) => el("option", { value: String(i) }, n.label)));
  const pick = [choice(0), choice(1)];
  pick[0].selectedIndex = twin < last ? twin : 0;
  pick[1].selectedIndex = last;
  let serial = 0;
  function build() {
    const two = pick.map((p) => nets[p.selectedIndex]);
    const node = figureElement(two.map((n, i) => ({ ...n.spec, title: n.label, name: `side-${i}-${serial++}`, note: null, pair: "Two runs on one clock" })), "compare", () => null);
    node.dataset.made = "page";
    const about = aboutTrees(two.map((n) => n.run));
    box.replaceChildren(...(about ? [el("p", { class: "about" }, about)] : []), node);
    box.dispatchEvent(new CustomEvent("figures", { bubbles: true }));
  }
  build();
  return el("div", {}, el("p", { class: "net-pick" }, "Compare ", pick[0], " with ", pick[1]), box);
}

export function runTable(runs, runId, day) {
  const drawn = runs.filter((r) => r.figures).length, diff = differences(runs).filter((d) => d.key !== "name" || runs.some((r) => r.title)).slice(0, 6);
  // Columns in which every run has the same, or nothing, say nothing here.
  const all = runs.map(scalarsOf), units = shared(all), rates = all.map((s) => ratesOf(units ? s : withoutUnits(s))), [by, word] = units ? timeUnit(1, units) : [1e3, "µs"];
  const offered = rates.some((r) => r.offered > 0), sizes = new Set(runs.map((r) => r.hosts)).size > 1;
  const jobs = all.map((s) => ({ took: Math.max(-1, ...[...s].filter(([k]) => /^job\/.*\/completion$/.test(k)).map(([, x]) => x)), open: [...s].some(([k, x]) => /^job\/.*\/finished$/.test(k) && !x) }));
  const worked = jobs.some((j) => j.took >= 0 || j.open);
  const cell = (v, unit) => el("td", { class: "num" }, typeof v === "number" && Number.isFinite(v) ? withUnit(fmt(v), unit) : "–");
  const rows = runs.map((r, i) => {
    const s = all[i], state = stateOf(s);
    return el("tr", {}, el("td", { class: "num" }, r.figures ? el("a", { href: `#${runId(r)}` }, String(r.id)) : String(r.id)), el("td", { class: "what" }, r.title || r.name),
      diff.map((d) => el("td", {}, d.values[i])), offered ? cell(rates[i].offered || NaN) : null, cell(rates[i].total), cell(((s.get("latency_ns.mean") ?? NaN) / 1e6) * by), cell(((s.get("latency_ns.p99") ?? NaN) / 1e6) * by),
      worked ? cell(jobs[i].took >= 0 ? (jobs[i].took / 1e3) * by : NaN) : null,
      el("td", { class: "how" }, r.outcome === "ok" && jobs[i].open ? el("span", { class: "bad" }, "job not finished") : r.outcome !== "ok" ? el("span", { class: "bad" }, r.outcome) : state.grows ? el("span", { class: "bad" }, state.word) : rates[i].offered > 0 ? state.word : "sources send all they can"), sizes ? el("td", { class: "num" }, fmt(r.hosts)) : null, el("td", { class: "whole" }, day(r.stored_at)));
  });
  return [drawn < runs.length ? el("p", { class: "about" }, `Figures follow for the newest ${drawn} of ${runs.length} runs.`) : null,
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" }, el("table", { class: "data" },
      el("thead", {}, el("tr", {}, ["run", "what", ...diff.map((d) => d.key), offered ? `offered ${rates[0].unit}` : null, `accepted ${rates[0].unit}`, `mean latency ${word}`, `99 % below ${word}`, worked ? `job ${word}` : null, "state", sizes ? "hosts" : null, "stored"].filter(Boolean).map((c) => el("th", { scope: "col" }, c)))), el("tbody", {}, rows)))];
}
