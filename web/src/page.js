// The page: header, contents, then what matters: pictures and large numbers of experiments and runs, with their
// checks, settings and commands folded below. Several experiments begin with a summary.
import { compareRuns, runTable, scalarsOf } from "./compare.js";
import { bytesText, ratesOf, stateOf, timeText, unitsOf } from "./amounts.js";
import { el, fmt, slug, unitText } from "./dom.js";
import { figureElement } from "./figure.js";
import { runLabels } from "./labels.js";
import { pairNetworks } from "./network.js";
import { isDarkNow, onTheme, toggleTheme } from "./theme.js";
import { allChecks, STATES, stateMark, tally, tallyCells, verdictTable } from "./verdicts.js";

const scales = (report) => new Set(report.experiments.map((e) => e.scale || ""));
const experimentId = (e, many) => slug(e.name, many ? e.scale : "");
const runId = (r) => `run-${r.id}`;
const day = (date) => String(date || "").replace("T", " ").replace(/:\d\d(\.\d+)?Z$/, " UTC");

function heading(level, id, text, ...more) {
  return el(level, {}, el("a", { class: "anchor", href: `#${id}` }, text), ...more);
}

const list = (pairs) => el("dl", { class: "facts" }, pairs.filter((p) => p && p[1] !== null && p[1] !== undefined && p[1] !== "" && p[1] !== "–")
  .map(([k, v]) => el("div", {}, el("dt", {}, k), el("dd", {}, v))));

function fold(title, ...content) {
  return el("details", {}, el("summary", {}, title), ...content);
}

function commandBlock(command) {
  if (!command) return null;
  const code = el("code", {}, command);
  const copy = el("button", { type: "button", class: "tool", onclick: async () => {
    try {
      await navigator.clipboard.writeText(command);
      copy.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code); // no clipboard for pages from the disk: the user copies
    }
  } }, "Copy");
  return el("div", { class: "command" }, el("pre", { tabindex: "0" }, code), copy);
}

const code = (text) => el("pre", { class: "code", tabindex: "0" }, el("code", {}, text));

// -- choices: a list of texts, a list of objects, or one object of reasons --

function choice(c) {
  if (typeof c !== "object" || c === null) return el("li", {}, String(c));
  const first = ["what", "choice", "gap", "name", "id"].find((k) => c[k]);
  const reason = ["why", "reason", "because"].find((k) => c[k]);
  const rest = Object.entries(c).filter(([k, v]) => k !== first && k !== reason && v !== null && v !== "");
  return el("li", {}, first ? el("strong", {}, String(c[first])) : null,
    rest.map(([k, v]) => [" ", el("span", { class: "value" }, k === "value" || k === "choice" ? fmt(v) : `${k}: ${typeof v === "object" ? JSON.stringify(v) : v}`)]),
    reason ? el("span", { class: "why" }, ` ${c[reason]}`) : null);
}

function choices(given) {
  if (!given || typeof given !== "object") return null;
  const items = Array.isArray(given) ? given.map(choice)
    : Object.entries(given).map(([k, v]) => (typeof v === "object" && v !== null ? choice({ what: k, ...v }) : el("li", {}, el("strong", {}, k), el("span", { class: "why" }, ` ${v}`))));
  return items.length ? fold(`Choices made where the paper is silent (${items.length})`, el("ul", { class: "choices" }, items)) : null;
}

// -- experiments --

function pointTable(points) {
  if (!points || points.length === 0) return null;
  const axes = [...new Set(points.flatMap((p) => Object.keys(p.axes && typeof p.axes === "object" && !Array.isArray(p.axes) ? p.axes : {})))];
  const bad = points.filter((p) => p.outcome && p.outcome !== "ok").length;
  const columns = ["label", ...axes, "seed", "run", "outcome"];
  return fold(`Runs (${points.length}${bad ? `, ${bad} did not end well` : ""})`, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" }, el("table", { class: "data" },
    el("thead", {}, el("tr", {}, columns.map((c) => el("th", { scope: "col" }, c)))),
    el("tbody", {}, points.map((p) => el("tr", {}, el("td", {}, p.label || ""), axes.map((a) => el("td", { class: typeof p.axes?.[a] === "number" ? "num" : null }, fmt(p.axes?.[a]))),
      el("td", { class: "num" }, fmt(p.seed)), el("td", { class: "num" }, fmt(p.run_id)), el("td", {}, p.outcome || "")))))));
}

function figureGrid(figures, owner, linkTo) {
  if (!figures || figures.length === 0) return null;
  return el("div", { class: "figures" }, pairNetworks(figures).map((f) => figureElement(f, owner, linkTo)));
}

/** Large numbers and pictures of networks; on a phone the pictures come first. */
function opening(numbers, figures, owner, linkTo) {
  const pictures = figures.filter((f) => f.kind === "network");
  return [el("div", { class: "opening" }, numbers, figureGrid(pictures, owner, linkTo)), figureGrid(figures.filter((f) => f.kind !== "network"), owner, linkTo)];
}

/** How the study compares with what it is held against: what passes, and how far printed numbers are from ours. */
function comparison(verdicts) {
  const judged = verdicts.filter((v) => v.state === "pass" || v.state === "fail"), other = verdicts.length - judged.length;
  if (judged.length === 0) return null;
  const apart = verdicts.flatMap((v) => (v.items || []).filter((i) => typeof i.value === "number" && typeof i.expected === "number" && i.expected !== 0 && i.pass !== null).map((i) => [Math.abs(i.value / i.expected - 1), v, i])).sort((a, b) => a[0] - b[0]);
  const tile = (label, value, unit, note) => el("div", {}, el("dt", {}, label), el("dd", {}, value, unit ? el("span", { class: "unit" }, ` ${unit}`) : null), note ? el("p", { class: "tile-note" }, note) : null);
  const out = [tile("checks that pass", fmt(judged.filter((v) => v.state === "pass").length), `of ${fmt(judged.length)}`, other ? `${fmt(other)} not judged` : null)];
  const percent = (x) => (x < 10 ? [fmt(100 * x, 2), "%"] : [fmt(x + 1, 2), "times"]), worst = apart[apart.length - 1];
  if (apart.length > 0) out.push(tile("difference from what is expected, median", ...percent(apart[Math.floor((apart.length - 1) / 2)][0]), `of ${fmt(apart.length)} number${apart.length > 1 ? "s" : ""}`));
  if (apart.length > 1) out.push(tile("largest difference", ...percent(worst[0]), `${worst[1].id}: ${fmt(worst[2].value)}, expected ${fmt(worst[2].expected)}`));
  return el("dl", { class: "tiles large" }, out);
}

/** A table called "headline" is shown as large numbers: name, value, what else is to be said. */
function headline(figures, verdicts) {
  const f = (figures || []).find((x) => x.name === "headline" && x.kind === "table");
  return !f ? comparison(verdicts) : f.rows ? el("dl", { class: "tiles large" }, (f.rows || []).slice(0, 4).map((row) => el("div", {}, el("dt", {}, String(row[0])), el("dd", {}, fmt(row[1]), row[2] ? el("span", { class: "unit" }, ` ${row[2]}`) : null), row[3] ? el("p", { class: "tile-note" }, String(row[3])) : null))) : null;
}

/** Pictures before curves, curves before tables; large numbers have their own place. */
const inOrder = (figures) => {
  const rank = { network: 0, ranks: 0.5, time: 1, line: 1, bar: 1, heatmap: 1, table: 2 };
  return (figures || []).filter((f) => f.name !== "headline").map((f, i) => [rank[f.kind] ?? 1, i, f]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((x) => x[2]);
};

function experimentSection(e, many, linkTo) {
  const id = experimentId(e, many);
  const t = tally(e.verdicts);
  return el("section", { class: "experiment", id, "aria-label": e.title || e.name },
    el("p", { class: "over" }, [e.paper, e.name, e.scale && `scale ${e.scale}`].filter(Boolean).join(" · ")),
    el("div", { class: "own-title" }, heading("h2", id, e.title || e.name)),
    el("p", { class: "states" }, STATES.filter((s) => t[s] > 0).map((s) => stateMark(s, t[s]))),
    String(e.about || "").split(/\n\s*\n/).filter((p) => p.trim()).map((p) => el("p", { class: "about" }, p.trim())),
    e.failed > 0 ? el("p", { class: "warning" }, `${e.failed} of ${e.runs} runs did not end well; see Runs below.`) : null,
    opening(headline(e.figures, e.verdicts), inOrder(e.figures), id, linkTo),
    e.verdicts.length ? el("details", { class: "fold-checks" }, el("summary", {}, `Checks against the ${e.paper ? "paper" : "study"}: `, STATES.filter((s) => t[s] > 0).map((s) => `${t[s]} ${s === "not-run" ? "not run" : s}`).join(", ")), verdictTable(e.verdicts, many ? e.scale : "")) : null,
    el("div", { class: "folds" },
      el("h3", {}, "How it was made"),
      list([["seeds", e.seeds], ["runs", e.runs], ["updated", day(e.updated_at)]]),
      commandBlock(e.command), choices(e.choices),
      e.config ? fold(e.points.length > 1 ? "Parameters: the effective configuration of the first run; the table of runs has what differs" : "Parameters: the effective configuration", code(e.config)) : null,
      pointTable(e.points)));
}

// -- runs --

/** Three large numbers: what came through, how long it took, how much stands still. */
function tiles(r) {
  const v = scalarsOf(r), has = (k) => typeof v.get(k) === "number", out = [];
  const tile = (label, value, unit, note) => out.push(el("div", {}, el("dt", {}, label), el("dd", {}, value, el("span", { class: "unit" }, ` ${unit}`)), note ? el("p", { class: "tile-note" }, note) : null));
  const state = stateOf(v), { total, offered, unit, flits } = ratesOf(v), units = unitsOf(v), time = (ns) => timeText(ns / 1e6, ns / 1e6, units);
  if (typeof total === "number") tile(offered > 0 ? "accepted" : "throughput", fmt(total), unit, offered > 0 ? `of ${fmt(offered)} offered: ${state.word}` : !flits && v.get("senders") > 0 ? `${fmt(v.get("throughput_total_gbps") / v.get("senders"))} for each of ${fmt(v.get("senders"))} senders` : null);
  if (has("latency_ns.mean")) tile("mean latency", ...time(v.get("latency_ns.mean")).split("\u00a0"), state.grows ? "grows with the length of the run" : has("latency_ns.p99") ? `99 % below ${time(v.get("latency_ns.p99"))}` : null);
  const net = (r.figures || []).find((f) => f.kind === "network"), trees = net?.trees || [];
  const queue = (net?.links || []).reduce((m, l) => Math.max(m, (Array.isArray(l) ? l[3] : l.queue) || 0), 0);
  if (trees.length) tile("congestion trees", fmt(v.get("trees.count") ?? trees.length), "", `the heaviest: ${fmt(trees[0].links)} links, ${typeof trees[0].victims === "number" ? `${fmt(trees[0].victims)} victims` : "victims not counted"}${trees[0].kind === "unjudged" ? ", not judged (run.tree_sample)" : `, ${trees[0].kind}`}`);
  else if (v.get("trees.count") > 0) tile("congestion trees", fmt(v.get("trees.count")), "", `the largest: ${fmt(v.get("trees.links_max"))} links; run.trees: yes draws them`);
  else if (net) tile("fullest port holds", ...bytesText(queue, units).split(" "), "on average");
  for (const j of (r.figures || []).find((f) => f.kind === "ranks")?.jobs.slice(0, 4) || []) {
    const all = j.compute + j.overhead + j.network + j.wait, share = (x) => `${fmt((100 * x) / all, 2)} %`, [took, word] = time(j.end - j.start).split("\u00a0");
    tile(`${j.name} completes in`, j.end === null ? "–" : took, j.end === null ? "" : word, j.end === null ? "not finished" : all > 0 ? `critical path: ${share(j.network)} network, ${share(j.compute)} computation` : null);
  }
  if (v.get("packets_lost") > 0) tile("lost", fmt(v.get("packets_lost")), "packets");
  const open = [...v].filter(([k, x]) => /^exchange\/.*\/unfinished$/.test(k) && x > 0);
  return [el("dl", { class: "tiles large" }, out), open.map(([k, x]) => el("p", { class: "warning" }, `Exchange ${k.split("/")[1]} is not finished: ${fmt(x)} streams had messages left when the run ended.`))];
}

/** Bytes of a MiB and more in MiB: 10 695 000 is hard to read. */
function numberCells([, unit, value]) {
  const large = unit === "bytes" && value >= 1048576;
  return [el("td", { class: "num", title: large ? `${fmt(value)} bytes` : null }, large ? fmt(value / 1048576) : fmt(value, 6)), el("td", {}, large ? "MiB" : unitText(unit))];
}

function runSection(r, label) {
  const id = runId(r);
  return el("section", { class: "experiment", id, "aria-label": r.title || r.name || id },
    el("p", { class: "over own-title" }, [`run ${r.id}`, r.name, `seed ${r.seed}`].filter(Boolean).join(" · ")), // a page of one run says so on top
    el("div", { class: "own-title" }, heading("h2", id, r.title || r.name || `Run ${r.id}`)),
    label ? el("p", { class: "facts-line" }, label.replace(/^\d+: /, "")) : null,
    r.outcome !== "ok" ? el("p", { class: "warning" }, el("strong", {}, `✗ ${r.outcome}. `), r.detail || "") : null,
    opening(tiles(r), inOrder(r.figures), id, () => null),
    el("div", { class: "folds" },
      el("h3", {}, "How it was made"),
      list([["network", `${fmt(r.hosts)} hosts, ${fmt(r.switches)} switches`], ["simulated", `${timeText(r.sim_time_ns / 1e6, r.sim_time_ns / 1e6, unitsOf(scalarsOf(r)))}, of which ${timeText(r.warmup_ns / 1e6, r.sim_time_ns / 1e6, unitsOf(scalarsOf(r)))} warm-up`],
        ["stored", day(r.stored_at)], ["coppice", r.version], ["run hash", r.run_hash]]),
      commandBlock(r.command),
      r.config ? fold("Parameters: the effective configuration", code(r.config)) : null,
      r.scalars?.length ? fold(`All numbers (${r.scalars.length})`, el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All numbers" }, el("table", { class: "data" },
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "name"), el("th", { scope: "col", class: "num" }, "value"), el("th", { scope: "col" }, "unit"))),
        el("tbody", {}, r.scalars.map((s) => el("tr", {}, el("td", {}, s[0]), numberCells(s))))))) : null));
}

function runsSection(runs) {
  return el("section", { id: "runs", "aria-label": "Runs" }, heading("h2", "runs", "Runs compared"), compareRuns(runs, runTable(runs, runId, day)));
}

// -- summary --

function summaryTable(report, many) {
  const groups = new Map();
  const add = (v, scale) => {
    const key = `${v.paper || "other"}\n${many ? scale || "" : ""}`;
    groups.set(key, [...(groups.get(key) || []), v]);
  };
  report.experiments.forEach((e) => e.verdicts.forEach((v) => add({ ...v, paper: v.paper || e.paper }, e.scale)));
  const every = [...groups.values()].flat();
  if (every.length === 0) return null;
  const row = (name, scale, verdicts, last) => el("tr", { class: last ? "total" : null }, el("th", { scope: "row" }, name), many ? el("td", {}, scale) : null, tallyCells(verdicts));
  return el("section", { id: "summary", "aria-label": "Summary" }, heading("h2", "summary", "Summary"),
    el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Checks by paper" }, el("table", { class: "data summary" },
      el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "paper"), many ? el("th", { scope: "col" }, "scale") : null,
        ["checks", "✓ pass", "✗ fail", "○ not run", "• recorded"].map((c) => el("th", { scope: "col", class: "num" }, c)), el("th", { scope: "col", class: "bar-head" }, "share"))),
      el("tbody", {}, [...groups].map(([key, vs]) => row(...key.split("\n"), vs)), groups.size > 1 ? row("all", "", every, true) : null))));
}

/** One experiment shows its checks itself; a list of all is for several. */
const several = (report) => report.experiments.filter((e) => e.verdicts.length).length > 1;

function contents(report, many) {
  const entry = (id, text, mark) => el("li", {}, el("a", { href: `#${id}` }, mark, el("span", {}, text)));
  const items = [];
  if (several(report)) items.push(entry("summary", "Summary"));
  for (const e of report.experiments) {
    const t = tally(e.verdicts);
    items.push(entry(experimentId(e, many), (e.title || e.name) + (many && e.scale ? ` (${e.scale})` : ""),
      el("span", { class: `mark ${t.fail ? "fail" : t.pass ? "pass" : ""}`, title: t.fail ? `${t.fail} failed` : `${t.pass} passed` }, t.fail ? "✗" : t.pass ? "✓" : "·")));
  }
  if (several(report)) items.push(entry("checks", "All checks"));
  if (report.runs.length > 1) items.push(entry("runs", "Runs compared"));
  const labels = report.runs.length > 1 ? runLabels(report.runs) : report.runs.map((r) => `${r.id}: ${r.title || r.name}`);
  for (const [i, r] of report.runs.entries()) if (r.figures) items.push(entry(runId(r), labels[i], el("span", { class: `mark ${r.outcome === "ok" ? "" : "fail"}` }, r.outcome === "ok" ? "·" : "✗")));
  const small = window.matchMedia("(max-width: 1099px)");
  const box = el("details", { open: !small.matches }, el("summary", {}, "Contents"), el("ul", {}, items));
  small.addEventListener("change", () => { box.open = !small.matches; });
  return box;
}

function themeButton() {
  const button = el("button", { type: "button", class: "tool theme", onclick: toggleTheme });
  const label = () => { button.textContent = isDarkNow() ? "Light" : "Dark"; button.title = `Use ${isDarkNow() ? "light" : "dark"} colours`; };
  label();
  onTheme(label);
  return button;
}

function header(report) {
  const n = report.experiments.length, r = report.runs.length;
  const only = n + r === 1 ? report.experiments[0] || report.runs[0] : null;
  const count = (k, one) => `${fmt(k)} ${one}${k === 1 ? "" : "s"}`;
  const sizes = only && r ? `run ${only.id} · ${only.title ? `${only.name} · ` : ""}seed ${only.seed}` : [n ? count(n, "experiment") : null, r ? count(r, "run") : null].filter(Boolean).join(", ");
  return [el("div", {}, el("p", { class: "over" }, "Coppice report"), el("h1", {}, only ? only.title || only.name : report.database),
    el("p", { class: "facts-line" }, [sizes, report.date ? `newest result ${day(report.date)}` : null, only ? report.database : null, `coppice ${report.version}`].filter(Boolean).join(" · "))), themeButton()];
}

export function buildPage(report) {
  const many = scales(report).size > 1;
  const where = new Map();
  report.experiments.forEach((e) => e.verdicts.forEach((v) => where.set(`${v.id}\n${e.scale || ""}`, slug("check", v.id, many ? e.scale : ""))));
  const linkFor = (scale) => (check) => (where.has(`${check}\n${scale || ""}`) ? `#${where.get(`${check}\n${scale || ""}`)}` : null);
  document.getElementById("top").append(...header(report));
  const list = contents(report, many), alone = list.querySelectorAll("li").length < 2;
  document.getElementById("contents").append(list);
  document.documentElement.classList.toggle("alone", alone); // one entry needs no list
  const main = document.getElementById("main");
  const labels = report.runs.length > 1 ? runLabels(report.runs) : [];
  const runs = [report.runs.length > 1 ? runsSection(report.runs) : null, ...report.runs.map((r, i) => (r.figures ? runSection(r, labels[i]) : null))];
  // Runs that can be played come first: there is most to see.
  const film = report.runs.filter((r) => (r.figures || []).some((f) => f.frames)).length > 1;
  const parts = [film ? runs[0] : null, several(report) ? summaryTable(report, many) : null, ...report.experiments.map((e) => experimentSection(e, many, linkFor(e.scale))),
    several(report) ? allChecks(report, many, (e) => experimentId(e, many)) : null];
  parts.push(...(film ? runs.slice(1) : runs));
  if (report.experiments.length + report.runs.length === 0) parts.push(el("p", { class: "about" }, "This database holds no runs yet."));
  main.replaceChildren(...parts.filter(Boolean));
  document.getElementById("bottom").append(el("p", {}, `Written by coppice ${report.version} from ${report.database}. Everything is in this file; it fetches nothing.`),
    report.left_over > 0 ? el("p", {}, `${report.left_over} more runs of earlier states of these studies are in ${report.database}: `, el("code", {}, "coppice prune"), " removes them.") : "",
    el("p", {}, "Figures are drawn by Apache ECharts (Apache License 2.0)."));
}
