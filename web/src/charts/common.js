// Parts of all charts: colours, markers and dashes of series, tips, axes. A series is known to ECharts by its number, so
// that two of the same name do not get in each other's way; people see the names.
import { axisTitle, el, fmt, withUnit } from "../dom.js";
import { theme } from "../theme.js";

const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond"];
const DASHES = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];
export const EXPECTED = "expected"; // the name of everything that comes from a paper

export const symbolOf = (i) => SYMBOLS[(i + Math.floor(i / SYMBOLS.length)) % SYMBOLS.length];
/** After the chosen colours come others, a golden angle apart: no two curves of a figure share one. */
export const colourOf = (i) => {
  const list = theme().series;
  if (i < list.length) return list[i];
  const k = i - list.length;
  return `hsl(${Math.round((20 + k * 137.5) % 360)}, ${60 - (k % 3) * 14}%, ${(theme().dark ? 66 : 36) + (k % 2) * 8}%)`;
};
/** More curves than colours: the second round is dashed. */
export const dashOf = (i, wanted) => {
  const round = Math.floor(i / theme().series.length);
  return DASHES[(round + (wanted ? 1 : 0)) % DASHES.length]; // after the eighth curve
};

// -- parts of all charts --

export function base() {
  const t = theme();
  return {
    animation: false,
    backgroundColor: "transparent",
    textStyle: { fontFamily: t.font, color: t.text },
    aria: { enabled: true, label: { enabled: false }, decal: { show: false } },
    legend: { show: false },
    grid: { left: 6, right: 14, top: 8, bottom: 6, outerBoundsMode: "same", outerBoundsContain: "all" },
  };
}

export const tooltip = (formatter, trigger) => {
  const t = theme();
  return {
    trigger,
    confine: true,
    transitionDuration: 0,
    backgroundColor: t.panel,
    borderColor: t.axis,
    borderWidth: 1,
    padding: [8, 10],
    textStyle: { color: t.text, fontSize: 13, fontFamily: t.font },
    axisPointer: { type: "line", lineStyle: { color: t.axis, type: "solid" }, label: { show: false } },
    formatter,
  };
};

const swatch = (colour) => el("span", { class: "dot", style: `background:${colour}` });

/** Rows [colour, name, value] as a table. */
export function tipTable(title, rows, more) {
  return el("div", { class: "tip" }, el("div", { class: "tip-title" }, title),
    el("table", {}, rows.map(([colour, name, value]) =>
      el("tr", {}, el("td", {}, colour ? swatch(colour) : ""), el("td", {}, name), el("td", { class: "num" }, value)))),
    more ? el("div", { class: "tip-more" }, more) : null);
}

export const axisText = () => ({ color: theme().quiet, fontSize: 12, fontFamily: theme().font, hideOverlap: true });

/** Powers of two as marks where decades would be too few; the ends only if they are marks themselves. */
export function logMarks(least, most) {
  if (!(least > 0 && most > least)) return {};
  const logBase = most / least < 300 ? 2 : 10;
  const round = (v) => Math.abs(Math.log(v) / Math.log(logBase) - Math.round(Math.log(v) / Math.log(logBase))) < 1e-9;
  return { logBase, min: least, max: most, axisLabel: { ...axisText(), formatter: (v) => fmt(v), showMinLabel: round(least), showMaxLabel: round(most) } };
}

export function valueAxis(axis = {}, extra = {}) {
  const t = theme();
  const fine = axis.log ? { minorTick: { show: true, splitNumber: 9, lineStyle: { color: t.axis } }, minorSplitLine: { show: true, lineStyle: { color: t.line, opacity: 0.45 } } } : {};
  return {
    ...fine,
    type: axis.log ? "log" : "value",
    min: axis.min ?? undefined,
    max: axis.max ?? undefined,
    axisLabel: { ...axisText(), formatter: (v) => fmt(v) },
    axisLine: { show: true, lineStyle: { color: t.axis } },
    axisTick: { show: false },
    splitLine: { lineStyle: { color: t.line } },
    nameTextStyle: { color: t.quiet, fontSize: 12, fontFamily: t.font },
    name: axisTitle(axis),
    nameTruncate: { maxWidth: 300 },
    scale: true,
    ...extra,
  };
}

export const below = { nameLocation: "middle", nameGap: 26 };
// Above the axis, so that it is horizontal.
export function above(axis) {
  const t = theme();
  return { nameLocation: "end", nameGap: 12, nameTextStyle: { color: t.quiet, fontSize: 12, fontFamily: t.font, align: "left", padding: [0, 0, 0, -6] }, axisLine: { show: false }, scale: Boolean(axis && axis.log) };
}

export const zoomOn = (index) => ({
  type: "inside", ...index, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: false, moveOnMouseWheel: false,
});

export const finite = (v) => typeof v === "number" && Number.isFinite(v);

/** Values of runs that were not steady (`unsteady`, docs/RESULTS.md): in tips a word, below the figure what it means. */
export const UNSTEADY = "not steady";
export const isUnsteady = (s, k) => (s?.unsteady || []).includes(k);
export const unsteadyNote = (list, marks) => (list.some((s) => (s.unsteady || []).length > 0)
  ? `${marks}: ${UNSTEADY}. The network took less than it was offered, and what waits grew with the run: latencies there are those of this duration only.` : "");

/** A bar with two ends, of an interval. */
export function whisker(x, y1, y2, style, half = 4) {
  return { type: "group", silent: true, children: [[x, y1, x, y2], [x - half, y1, x + half, y1], [x - half, y2, x + half, y2]]
    .map(([x1, a, x2, b]) => ({ type: "line", shape: { x1, y1: a, x2, y2: b }, style })) };
}

/** What a paper says, in words. */
export const bounds = (e, unit) => {
  const range = finite(e.low) && finite(e.high) ? `${fmt(e.low)} to ${fmt(e.high)}` : finite(e.low) ? `≥ ${fmt(e.low)}` : finite(e.high) ? `≤ ${fmt(e.high)}` : "";
  if (finite(e.value)) return withUnit(range ? `${fmt(e.value)} (${range})` : fmt(e.value), unit);
  return withUnit(range, unit);
};
