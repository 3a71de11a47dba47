// The frame of a figure: title, buttons, legend, drawing, note. Drawings are made when they come near
// the window, and all of them for paper.
import { BarChart, CustomChart, HeatmapChart, LineChart } from "echarts/charts";
import { AriaComponent, DataZoomComponent, GridComponent, LegendComponent, ToolboxComponent, TooltipComponent } from "echarts/components";
import { init, use } from "echarts/core";
import { LabelLayout } from "echarts/features";
import { SVGRenderer } from "echarts/renderers";
import { barChart, heatChart } from "./charts/blocks.js";
import { colourOf, dashOf, symbolOf } from "./charts/common.js";
import { curveChart } from "./charts/curves.js";
import { figureCsv } from "./csv.js";
import { download, el, fmt, slug, svg, withUnit } from "./dom.js";
import { networkViewer } from "./network.js";
import { RankChart } from "./ranks.js";
import { rankingElement } from "./ranking.js";
import { onTheme, setPaper, theme } from "./theme.js";

use([BarChart, CustomChart, HeatmapChart, LineChart, AriaComponent, DataZoomComponent, GridComponent,
  LegendComponent, ToolboxComponent, TooltipComponent, LabelLayout, SVGRenderer]);

const CHARTS = { line: curveChart, time: curveChart, bar: barChart, heatmap: heatChart };
const PAPER_WIDTH = 680; // px; what fits between the margins of A4
const figures = [];

// -- legend --

function keyMark(i, spec) {
  const colour = colourOf(i);
  const s = spec.series[i];
  const box = svg("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" });
  if (spec.kind === "bar") {
    box.append(svg("rect", { x: 6, y: 1, width: 14, height: 10, rx: 2, fill: colour }));
    return box;
  }
  const dash = dashOf(i, s.dash);
  box.append(svg("line", { x1: 0, y1: 6, x2: 26, y2: 6, stroke: colour, "stroke-width": 2, "stroke-dasharray": Array.isArray(dash) ? dash.join(" ") : "none" }));
  const hollow = symbolOf(i).startsWith("empty");
  const paint = { fill: hollow ? theme().panel : colour, stroke: colour, "stroke-width": 1.5 };
  const shape = symbolOf(i).replace("empty", "").toLowerCase();
  if (shape === "circle") box.append(svg("circle", { cx: 13, cy: 6, r: 3.5, ...paint }));
  else box.append(svg("path", { d: { rect: "M9.5 2.5h7v7h-7z", triangle: "M13 2L17 9.5H9z", diamond: "M13 1.5L17.5 6L13 10.5L8.5 6z" }[shape], ...paint }));
  return box;
}

function expectedMark(points) {
  const t = theme();
  if (points) return svg("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" }, svg("path", { d: "M13 1.5L17.5 6L13 10.5L8.5 6z", fill: "none", stroke: t.text, "stroke-width": 1.5 }));
  return svg("svg", { width: 26, height: 12, viewBox: "0 0 26 12", "aria-hidden": "true" },
    svg("rect", { x: 0.5, y: 0.5, width: 25, height: 11, fill: t.quiet, "fill-opacity": 0.2, stroke: t.quiet, "stroke-opacity": 0.6 }),
    svg("line", { x1: 0, y1: 6, x2: 26, y2: 6, stroke: t.text, "stroke-width": 1.5, "stroke-dasharray": "4 3" }));
}

function legendButton(fig, name, mark, label) {
  return el("button", { type: "button", class: "key", "aria-pressed": fig.hidden.has(name) ? "false" : "true", title: "Show or hide",
    onclick: (event) => {
      const shown = fig.hidden.has(name);
      if (shown) fig.hidden.delete(name);
      else fig.hidden.add(name);
      event.currentTarget.setAttribute("aria-pressed", String(shown));
      if (fig.chart) fig.chart.dispatchAction({ type: shown ? "legendSelect" : "legendUnSelect", name });
    } }, mark, el("span", {}, label));
}

// What is expected has a source of its own if it names one that no curve has; else it is the paper's.
function expectedName(spec) {
  const names = [...new Set((spec.expected || []).map((e) => e.name || ""))];
  const curves = new Set((spec.series || []).map((s) => s.name));
  return names.length <= 3 && names.every((n) => n !== "" && !curves.has(n)) ? names.join("; ") : "expected by the paper";
}

function fillLegend(fig, made) {
  const spec = fig.spec;
  const list = [];
  const several = (spec.series || []).length > 1 || made.expected;
  if (several && CHARTS[spec.kind] && spec.series) spec.series.forEach((s, i) => list.push(legendButton(fig, String(i), keyMark(i, spec), s.name)));
  if (made.expected) list.push(legendButton(fig, "expected", expectedMark((spec.expected || []).every((e) => e.points)), expectedName(spec)));
  if (made.classes) list.push(...made.classes.map((c) => el("span", { class: "key flat" }, el("span", { class: "patch", style: `background:${c.color}` }), `${fmt(c.min, 3)}–${fmt(c.max, 3)}`)));
  if (made.best) list.push(el("span", { class: "key flat" }, el("span", { class: "patch best" }),
    `best: ${withUnit(fmt(made.best[2]), spec.z?.unit)} at ${withUnit(fmt(spec.xs[made.best[0]]), spec.x?.unit)}, ${withUnit(fmt(spec.ys[made.best[1]]), spec.y?.unit)}`));
  fig.legend.replaceChildren(...list);
  fig.legend.hidden = list.length === 0;
}

// -- drawing --

function describe(spec) {
  const what = { line: "Curves", time: "Curves over time", bar: "Bars", heatmap: "Heat map", network: "Drawing of a network" }[spec.kind] || "Figure";
  const names = (spec.series || []).map((s) => s.name).join(", ");
  return `${what}: ${spec.title || spec.name}.${names ? ` Series: ${names}.` : ""} The data is available as CSV.`;
}

/** What sizes and colours itself: networks and timelines. */
const VIEWERS = { network: (specs) => networkViewer(specs), ranks: (specs) => new RankChart(specs[0]) };

function drawViewer(fig, width) {
  try {
    if (!fig.viewer) {
      fig.viewer = VIEWERS[fig.spec.kind](fig.specs);
      fig.chart = { dispose() {} };
      fig.box.replaceChildren(fig.viewer.node);
      fig.box.style.height = "auto";
    }
    fig.viewer.fit(width);
    fig.node.dataset.drawn = "yes";
  } catch (fault) {
    fig.node.dataset.drawn = "no";
    fig.box.replaceChildren(el("p", { class: "fault" }, `This ${fig.spec.kind === "ranks" ? "timeline" : "network"} cannot be drawn: ${fault.message}`));
  }
}

function draw(fig, width) {
  const { spec, box } = fig;
  if (VIEWERS[spec.kind]) drawViewer(fig, width);
  if (!CHARTS[spec.kind]) return;
  const w = Math.max(240, Math.round(width || box.clientWidth));
  try {
    const made = CHARTS[spec.kind](spec, w);
    const height = made.height || Math.round(Math.min(360, Math.max(270, w * 0.62)));
    box.style.height = `${height}px`;
    fillLegend(fig, made);
    fig.extra.textContent = made.note || "";
    if (!fig.chart) fig.chart = init(box, null, { renderer: "svg", width: w, height });
    else fig.chart.resize({ width: w, height, animation: { duration: 0 } });
    const names = [...(spec.series || []).map((s, i) => String(i)), "expected"];
    made.option.legend = { show: false, data: names, selected: Object.fromEntries(names.map((n) => [n, !fig.hidden.has(n)])) };
    if (made.zoom)
      made.option.toolbox = { right: -200, feature: { dataZoom: { [`${made.zoom === "x" ? "y" : "x"}AxisIndex`]: "none", filterMode: "none" } } };
    fig.zoom = made.zoom;
    fig.chart.setOption(made.option, { notMerge: true });
    fig.chart.getZr().flush();
    fig.width = w;
    fig.node.dataset.drawn = "yes";
  } catch (fault) {
    fig.node.dataset.drawn = "no";
    box.replaceChildren(el("p", { class: "fault" }, `This figure cannot be drawn: ${fault.message}`));
    box.style.height = "auto";
  }
}

// -- zoom --

function setZoom(fig, on) {
  fig.zooming = on;
  fig.zoomButton.setAttribute("aria-pressed", String(on));
  if (!fig.chart) return;
  fig.chart.dispatchAction({ type: "takeGlobalCursor", key: "dataZoomSelect", dataZoomSelectActive: on });
}

function resetZoom(fig) {
  if (fig.zooming) setZoom(fig, false);
  if (fig.chart) fig.chart.dispatchAction({ type: "dataZoom", batch: [0, 1].map((i) => ({ dataZoomIndex: i, start: 0, end: 100 })) });
}

/** + and - zoom, arrows move, 0 shows all. */
function zoomKey(fig, event) {
  if (!fig.chart || !fig.zoom || event.ctrlKey || event.metaKey || event.altKey) return;
  const z = fig.chart.getOption().dataZoom?.[0];
  if (!z) return;
  let { start, end } = z;
  const span = end - start;
  if (event.key === "+" || event.key === "=") [start, end] = [start + span * 0.15, end - span * 0.15];
  else if (event.key === "-") [start, end] = [start - span * 0.2, end + span * 0.2];
  else if (event.key === "ArrowRight") [start, end] = [start + span * 0.1, end + span * 0.1];
  else if (event.key === "ArrowLeft") [start, end] = [start - span * 0.1, end - span * 0.1];
  else if (event.key === "0") [start, end] = [0, 100];
  else return;
  event.preventDefault();
  if (start < 0) [start, end] = [0, Math.min(100, end - start)];
  if (end > 100) [start, end] = [Math.max(0, start - (end - 100)), 100];
  fig.chart.dispatchAction({ type: "dataZoom", dataZoomIndex: 0, start, end });
}

// -- the frame --

const isNumber = (v) => typeof v === "number" || (typeof v === "string" && /^[-+−]?[\d.,]+( ?%)?$/.test(v));
const isEmpty = (v) => v === null || v === undefined || v === "" || v === "-" || v === "–";

function dataTable(spec) {
  const rows = spec.rows || [];
  const numeric = (spec.columns || []).map((_, k) => rows.some((r) => isNumber(r[k])) && rows.every((r) => isEmpty(r[k]) || isNumber(r[k])));
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": spec.title || spec.name },
    el("table", { class: "data" },
      el("thead", {}, el("tr", {}, (spec.columns || []).map((c, k) => el("th", { scope: "col", class: numeric[k] ? "num" : null }, String(c))))),
      el("tbody", {}, rows.map((r) => el("tr", {}, r.map((v, k) => el("td", { class: numeric[k] ? "num" : null }, fmt(v))))))));
}

const button = (label, title, onclick, more) => el("button", { type: "button", class: "tool", title, onclick, ...more }, label);

function checkLinks(spec, linkTo) {
  if (!Array.isArray(spec.checks) || spec.checks.length === 0) return null;
  return el("p", { class: "checks" }, "Checks: ", spec.checks.map((c, i) => {
    const href = linkTo(c);
    return [i ? ", " : "", href ? el("a", { href }, c) : c];
  }));
}

/** What has no value, and why. */
const missing = (spec) => (Array.isArray(spec.missing) && spec.missing.length > 0
  ? el("p", { class: "note missing" }, spec.missing.map((m) => el("span", {}, `No value for ${m.where.join("; ") || "it"}${m.count > m.where.length ? ` and ${m.count - m.where.length} more` : ""}: ${m.why}. `))) : null);

/** specs: one figure, or two networks side by side. linkTo(check) gives the address of a check on the page, or null. */
export function figureElement(specs, owner, linkTo) {
  const spec = specs[0], net = Boolean(VIEWERS[spec.kind]), known = Boolean(CHARTS[spec.kind]) || net;
  const id = slug("fig", owner, spec.name), file = slug(owner, spec.name);
  const fig = { spec, specs, hidden: new Set(), chart: null, zooming: false };
  fig.box = el("div", net ? { class: "drawing net-drawing" } : { class: "drawing", role: "img", "aria-label": describe(spec), tabindex: known ? "0" : null, onkeydown: (e) => zoomKey(fig, e) });
  fig.legend = el("div", { class: "legend", role: "group", "aria-label": "Legend" });
  fig.extra = el("p", { class: "note" });
  fig.zoomButton = known && !net && spec.kind !== "heatmap" ? button("Zoom", "Drag over a part of the figure to enlarge it", () => setZoom(fig, !fig.zooming), { "aria-pressed": "false" }) : null;
  const tools = el("div", { class: "tools" }, fig.zoomButton,
    fig.zoomButton ? button("Reset", "Show all again", () => resetZoom(fig)) : null,
    net ? button("PNG", "Download the picture", async () => {
      if (!fig.viewer) draw(fig);
      download(`${file}.png`, "image/png", await fig.viewer.png());
    }) : known ? button("SVG", "Download the drawing", () => {
      if (!fig.chart) draw(fig);
      download(`${file}.svg`, "image/svg+xml", fig.chart.renderToSVGString());
    }) : null,
    button("CSV", "Download the data", () => specs.forEach((s) => download(`${slug(owner, s.name)}.csv`, "text/csv", figureCsv(s)))));
  let body = [fig.legend, fig.box, fig.extra];
  if (net) body = [fig.box];
  if (spec.kind === "table") body = [dataTable(spec)];
  else if (spec.kind === "ranking") body = [rankingElement(spec, owner)];
  else if (!known) body = [el("p", { class: "fault" }, `This coppice does not know figures of the kind “${spec.kind}”.`)];
  const title = specs.length > 1 ? spec.pair || "The network, side by side" : spec.title || spec.name;
  fig.node = el("figure", { id, class: `figure ${spec.wide || net || spec.kind === "table" || spec.kind === "ranking" ? "wide" : ""}`, "data-kind": String(spec.kind), "data-figures": String(specs.length) },
    el("figcaption", {}, el("h4", {}, el("a", { class: "anchor", href: `#${id}` }, title)), tools),
    body, specs.map((s) => (s.note ? el("p", { class: "note" }, specs.length > 1 ? `${s.title || s.name}: ${s.note}` : s.note) : null)), specs.map(missing), checkLinks(spec, linkTo));
  if (known) figures.push(fig);
  else fig.node.dataset.drawn = "yes";
  return fig.node;
}

// -- when --

let printing = false;
let opened = [];
let undrawn = []; // before printing
let watch = () => {}; // draw this figure when it comes near

function toPaper() {
  if (printing) return;
  printing = true;
  opened = [...document.querySelectorAll("details:not([open]):not(.licences)")];
  opened.forEach((d) => { d.open = true; });
  document.documentElement.classList.add("paper");
  setPaper(true);
  undrawn = figures.filter((fig) => !fig.chart);
  figures.forEach((fig) => draw(fig, PAPER_WIDTH));
}

function fromPaper() {
  if (!printing) return;
  printing = false;
  opened.forEach((d) => { d.open = false; });
  document.documentElement.classList.remove("paper");
  setPaper(false);
  for (const fig of undrawn) {
    if (fig.viewer) continue;
    if (fig.chart) fig.chart.dispose();
    fig.chart = null;
    delete fig.node.dataset.drawn;
    watch(fig);
  }
  figures.filter((fig) => fig.chart).forEach((fig) => draw(fig));
}

export function startFigures() {
  const byNode = new Map();
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries)
      if (entry.isIntersecting) {
        near.unobserve(entry.target);
        if (!byNode.get(entry.target).chart) draw(byNode.get(entry.target));
      }
  }, { rootMargin: "600px 0px" });
  const sized = new ResizeObserver((entries) => {
    for (const entry of entries) {
      const fig = byNode.get(entry.target);
      const w = Math.round(entry.contentRect.width);
      if (!printing && fig.chart && !fig.viewer && w > 0 && w !== fig.width) requestAnimationFrame(() => draw(fig));
    }
  });
  watch = (fig) => near.observe(fig.box);
  const adopt = () => figures.filter((fig) => !byNode.has(fig.box)).forEach((fig) => {
    byNode.set(fig.box, fig);
    watch(fig);
    sized.observe(fig.box);
  });
  adopt();
  // A part of the page was built anew; what it replaced is forgotten.
  document.addEventListener("figures", () => {
    for (let i = figures.length - 1; i >= 0; i--) if (!figures[i].node.isConnected) figures.splice(i, 1);
    adopt();
  });
  onTheme(() => { if (!printing) figures.forEach((fig) => fig.chart && !fig.viewer && draw(fig)); });
  window.addEventListener("beforeprint", toPaper);
  window.addEventListener("afterprint", fromPaper);
}
