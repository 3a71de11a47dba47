// Options of ECharts for curves, bars and heat maps. A series is known to ECharts by its number, so
// that two of the same name do not get in each other's way; people see the names.
import * as graphic from "echarts/lib/export/api/graphic.js";
import { axisTitle, el, fmt, withUnit } from "./dom.js";
import { theme } from "./theme.js";

const SYMBOLS = ["circle", "rect", "triangle", "diamond", "emptyCircle", "emptyRect", "emptyTriangle", "emptyDiamond"];
const DASHES = ["solid", [7, 4], [2, 3], [9, 3, 2, 3]];
const EXPECTED = "expected"; // the name of everything that comes from a paper
const MANY = 60; // points; beyond, intervals are bands

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

const axisText = () => ({ color: theme().quiet, fontSize: 12, fontFamily: theme().font, hideOverlap: true });

/** Powers of two as marks where decades would be too few; the ends only if they are marks themselves. */
function logMarks(least, most) {
  if (!(least > 0 && most > least)) return {};
  const logBase = most / least < 300 ? 2 : 10;
  const round = (v) => Math.abs(Math.log(v) / Math.log(logBase) - Math.round(Math.log(v) / Math.log(logBase))) < 1e-9;
  return { logBase, min: least, max: most, axisLabel: { ...axisText(), formatter: (v) => fmt(v), showMinLabel: round(least), showMaxLabel: round(most) } };
}

function valueAxis(axis = {}, extra = {}) {
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

const below = { nameLocation: "middle", nameGap: 26 };
// Above the axis, so that nobody has to turn the head.
function above(axis) {
  const t = theme();
  return { nameLocation: "end", nameGap: 12, nameTextStyle: { color: t.quiet, fontSize: 12, fontFamily: t.font, align: "left", padding: [0, 0, 0, -6] }, axisLine: { show: false }, scale: Boolean(axis && axis.log) };
}

const zoomOn = (index) => ({
  type: "inside", ...index, filterMode: "none", zoomOnMouseWheel: "ctrl", moveOnMouseMove: false, moveOnMouseWheel: false,
});

const finite = (v) => typeof v === "number" && Number.isFinite(v);

// -- curves --

function cleanPoints(s, spec) {
  const positive = (v, axis) => !(axis && axis.log) || v > 0;
  return (s.points || []).map((p, i) => [p[0], finite(p[1]) && positive(p[1], spec.y) ? p[1] : null, s.ci ? s.ci[i] : null])
    .filter((p) => finite(p[0]) && positive(p[0], spec.x));
}

function xRange(spec, curves) {
  const xs = curves.flatMap((c) => c.points.map((p) => p[0]));
  for (const e of spec.expected || []) {
    xs.push(...(e.points || []).map((p) => p[0]));
    if (!e.points) xs.push(...[e.from, e.to].filter(finite));
  }
  const least = xs.reduce((a, b) => Math.min(a, b), Infinity);
  const most = xs.reduce((a, b) => Math.max(a, b), -Infinity);
  return [finite(spec.x?.min) ? spec.x.min : least, finite(spec.x?.max) ? spec.x.max : most];
}

/** Time begins at 0, other axes where ECharts likes; logarithmic ones would waste up to a decade. */
function xLimits(spec, [least, most]) {
  if (!(most > least)) return {};
  if (spec.x?.log) return logMarks(least, most);
  const zero = least >= 0 && least < 0.25 * (most - least);
  return { min: spec.x?.min ?? (zero ? 0 : undefined), max: spec.x?.max ?? undefined };
}

/** Markers tell curves apart without colour; on long curves only some points carry one. */
function lineSeries(c, i, total) {
  const n = c.points.length;
  const every = n > 24 ? Math.ceil(n / 9) : 1;
  const shift = Math.floor((every * i) / Math.max(total, 1));
  const colour = colourOf(i);
  return {
    type: "line", name: String(i), id: `s${i}`, z: c.twin ? 4 : 3 + (total - i) * 0.01,
    data: c.points.map((p) => [p[0], p[1]]),
    symbol: symbolOf(i), showSymbol: true, showAllSymbol: true,
    symbolSize: (v, p) => ((p.dataIndex + every - shift) % every === 0 ? 7 : 0),
    lineStyle: { width: c.twin ? 3 : 2, color: colour, type: dashOf(i, c.dash) },
    itemStyle: { color: colour },
    emphasis: { focus: "series", lineStyle: { width: 3 } },
    blur: { lineStyle: { opacity: 0.25 }, itemStyle: { opacity: 0.25 } },
  };
}

function whisker(x, y1, y2, style, half = 4) {
  return { type: "group", silent: true, children: [[x, y1, x, y2], [x - half, y1, x + half, y1], [x - half, y2, x + half, y2]]
    .map(([x1, a, x2, b]) => ({ type: "line", shape: { x1, y1: a, x2, y2: b }, style })) };
}

/** Confidence intervals: whiskers, or a band if there are many points. */
function intervals(c, i) {
  const colour = colourOf(i);
  const data = c.points.filter((p) => finite(p[1]) && finite(p[2])).map((p) => [p[0], p[1] - p[2], p[1] + p[2]]);
  if (data.length === 0) return null;
  const band = data.length > MANY;
  return {
    type: "custom", name: String(i), id: `ci${i}`, silent: true, clip: true, z: 2, tooltip: { show: false }, data,
    encode: { x: 0, y: [1, 2] }, itemStyle: { color: colour },
    renderItem: (params, api) => {
      if (!band)
        return whisker(api.coord([api.value(0), 0])[0], api.coord([api.value(0), api.value(1)])[1],
          api.coord([api.value(0), api.value(2)])[1], { stroke: colour, lineWidth: 1.2 });
      if (params.dataIndexInside !== 0) return null;
      const points = [...data.map((d) => api.coord([d[0], d[2]])), ...[...data].reverse().map((d) => api.coord([d[0], d[1]]))];
      return { type: "polygon", shape: { points }, style: { fill: colour, opacity: 0.18 } };
    },
  };
}

/** The curve an expectation speaks of has its colour. */
function expectedColour(spec, name) {
  const i = (spec.series || []).findIndex((s) => s.name === name);
  return i >= 0 ? colourOf(i) : theme().text;
}

function expectedBands(spec, range) {
  const list = (spec.expected || []).filter((e) => !e.points);
  if (list.length === 0) return null;
  const data = list.map((e) => [e.from ?? range[0], e.to ?? range[1], e.value ?? null, e.low ?? null, e.high ?? null]);
  return {
    type: "custom", name: EXPECTED, id: "bands", silent: true, clip: true, z: 1, tooltip: { show: false }, data,
    encode: { x: [0, 1], y: [2, 3, 4] },
    renderItem: (params, api) => {
      const e = list[params.dataIndex];
      const colour = expectedColour(spec, e.name);
      const [from, to] = data[params.dataIndex];
      const area = params.coordSys;
      const anyY = e.value ?? e.low ?? e.high ?? 0;
      const left = finite(e.from) ? api.coord([from, anyY])[0] : area.x;
      const right = finite(e.to) ? api.coord([to, anyY])[0] : area.x + area.width;
      const y = (v) => api.coord([from, v])[1];
      const children = [];
      const strip = (top, bottom, style) => {
        const shape = graphic.clipRectByRect({ x: left, y: top, width: right - left, height: Math.max(bottom - top, 1) }, area);
        if (shape) children.push({ type: "rect", shape, style: { fill: colour, ...style } });
        return shape;
      };
      if (finite(e.low) && finite(e.high)) {
        const shape = strip(y(e.high), y(e.low), { opacity: 0.16 });
        if (shape) children.push({ type: "rect", shape, style: { fill: "none", stroke: colour, lineWidth: 0.75, opacity: 0.55 } });
      } else if (finite(e.low) || finite(e.high)) {
        // A bound on one side: a line, and three fading strips on the side where values may be.
        const edge = y(e.low ?? e.high), way = finite(e.low) ? -1 : 1;
        [0.22, 0.13, 0.06].forEach((opacity, k) => strip(Math.min(edge + way * 5 * k, edge + way * 5 * (k + 1)), Math.max(edge + way * 5 * k, edge + way * 5 * (k + 1)), { opacity }));
        children.push({ type: "line", shape: { x1: left, y1: edge, x2: right, y2: edge }, style: { stroke: colour, lineWidth: 1, opacity: 0.8 } });
      }
      if (finite(e.value)) {
        const at = api.coord([from, e.value])[1];
        children.push({ type: "line", shape: { x1: left, y1: at, x2: right, y2: at }, style: { stroke: colour, lineWidth: 1.5, lineDash: [4, 3], opacity: 0.9 } });
      }
      return { type: "group", silent: true, children };
    },
  };
}

function expectedPoints(spec) {
  const list = (spec.expected || []).filter((e) => e.points);
  const data = list.flatMap((e, k) => e.points.filter((p) => finite(p[0]) && finite(p[1]))
    .map((p) => [p[0], p[1], p[1] * (1 - (e.tolerance || 0)), p[1] * (1 + (e.tolerance || 0)), k]));
  if (data.length === 0) return null;
  return {
    type: "custom", name: EXPECTED, id: "points", silent: true, clip: false, z: 6, tooltip: { show: false }, data,
    encode: { x: 0, y: [1, 2, 3] },
    renderItem: (params, api) => {
      const d = data[params.dataIndex];
      const colour = expectedColour(spec, list[d[4]].name);
      const [x, y] = api.coord([d[0], d[1]]);
      const area = params.coordSys;
      if (x < area.x - 1 || x > area.x + area.width + 1) return null; // outside of what zoom shows
      const children = [];
      if (d[2] !== d[3]) children.push(whisker(x, api.coord([d[0], d[2]])[1], api.coord([d[0], d[3]])[1], { stroke: colour, lineWidth: 1, opacity: 0.7 }, 5));
      children.push({ type: "path", shape: { pathData: `M${x} ${y - 6}L${x + 6} ${y}L${x} ${y + 6}L${x - 6} ${y}Z` }, style: { fill: theme().panel, stroke: colour, lineWidth: 1.5 } });
      return { type: "group", silent: true, children };
    },
  };
}

const bounds = (e, unit) => {
  const range = finite(e.low) && finite(e.high) ? `${fmt(e.low)} to ${fmt(e.high)}` : finite(e.low) ? `≥ ${fmt(e.low)}` : finite(e.high) ? `≤ ${fmt(e.high)}` : "";
  if (finite(e.value)) return withUnit(range ? `${fmt(e.value)} (${range})` : fmt(e.value), unit);
  return withUnit(range, unit);
};

/** What the paper says about this x. */
function expectedAt(spec, x, range) {
  const rows = [];
  for (const e of spec.expected || []) {
    if (e.points) {
      const p = e.points.find((q) => q[0] === x);
      if (p) rows.push([null, `expected ${e.name || ""}`, withUnit(fmt(p[1]) + (e.tolerance ? ` ± ${fmt(e.tolerance * 100)} %` : ""), spec.y?.unit)]);
    } else if (x >= (e.from ?? range[0]) && x <= (e.to ?? range[1])) {
      rows.push([null, `expected ${e.name || ""}`, bounds(e, spec.y?.unit)]);
    }
  }
  return rows;
}

/** Values that are no numbers keep their names. */
function nameMarks(spec) {
  const names = spec.x?.names;
  if (!Array.isArray(names)) return {};
  return { min: -0.3, max: names.length - 0.7, interval: 1, axisLabel: { ...axisText(), interval: 0, formatter: (v) => (Number.isInteger(v) ? names[v] ?? "" : "") } };
}

/** A curve that lies on an earlier one is dashed and on top, so that both are seen. */
function findTwins(curves) {
  const twins = [];
  curves.forEach((c, i) => {
    const j = curves.findIndex((o, k) => k < i && o.points.length === c.points.length && c.points.length > 0 && c.points.every((p, n) => o.points[n][0] === p[0] && Math.abs((o.points[n][1] ?? 0) - (p[1] ?? 0)) <= 0.004 * Math.abs(p[1] ?? 0)));
    if (j >= 0) {
      c.dash = true;
      c.twin = true;
      twins.push(`${c.name} lies on ${curves[j].name}`);
    }
  });
  return twins.length ? `${twins.slice(0, 3).join("; ")}${twins.length > 3 ? "; and others" : ""}.` : "";
}

/** An expectation over nearly all of the time is one of a mean, not of every moment. */
const isMean = (spec, e, range) => spec.kind === "time" && !e.points && (e.to ?? range[1]) - (e.from ?? range[0]) > 0.75 * (range[1] - range[0]) && finite(e.value ?? e.low ?? e.high);

/** Means stand in the margin: what the paper says as a bar with a mark, ours as a dot of the curve's colour. */
function expectedMeans(spec, curves, range) {
  const list = (spec.expected || []).filter((e) => isMean(spec, e, range));
  if (list.length === 0) return null;
  const means = list.map((e) => {
    const c = curves.find((x) => x.name === e.name);
    const ys = (c?.points || []).filter((p) => finite(p[1]) && p[0] >= (e.from ?? range[0]) && p[0] <= (e.to ?? range[1])).map((p) => p[1]);
    return ys.length ? ys.reduce((a, b) => a + b, 0) / ys.length : null;
  });
  const data = list.map((e, k) => [range[1], e.value ?? e.low ?? e.high, e.low ?? e.value, e.high ?? e.value, means[k] ?? e.value]);
  return {
    type: "custom", name: EXPECTED, id: "means", silent: true, clip: false, z: 6, tooltip: { show: false }, data, encode: { x: 0, y: [1, 2, 3, 4] },
    renderItem: (params, api) => {
      const e = list[params.dataIndex], area = params.coordSys, x = area.x + area.width + 9 + 13 * params.dataIndex, colour = expectedColour(spec, e.name);
      const y = (v) => Math.max(area.y, Math.min(area.y + area.height, api.coord([range[1], v])[1]));
      const children = [];
      if (finite(e.low) || finite(e.high)) {
        const top = finite(e.high) ? y(e.high) : area.y, bottom = finite(e.low) ? y(e.low) : area.y + area.height;
        children.push({ type: "rect", shape: { x: x - 4, y: top, width: 8, height: Math.max(2, bottom - top) }, style: { fill: colour, opacity: 0.25, stroke: colour, lineWidth: 0.75 } });
      }
      if (finite(e.value)) children.push({ type: "line", shape: { x1: x - 6, y1: y(e.value), x2: x + 6, y2: y(e.value) }, style: { stroke: colour, lineWidth: 2, lineDash: [3, 2] } });
      if (means[params.dataIndex] !== null) children.push({ type: "circle", shape: { cx: x, cy: y(means[params.dataIndex]), r: 3.5 }, style: { fill: colour, stroke: theme().panel, lineWidth: 1 } });
      return { type: "group", silent: true, children };
    },
  };
}

export function curveChart(given) {
  const spec = { ...given };
  const ends = xRange(spec, (spec.series || []).map((s) => ({ points: (s.points || []).filter((p) => p[0] > 0) })));
  // Over less than three octaves a logarithmic axis has no marks to read, and no use.
  if (spec.x?.log && !(ends[1] / ends[0] >= 8)) spec.x = { ...spec.x, log: false };
  const curves = (spec.series || []).map((s) => ({ ...s, points: cleanPoints(s, spec) }));
  const range = xRange(spec, curves);
  const twins = findTwins(curves);
  const means = expectedMeans(spec, curves, range);
  const title = (x) => `${spec.x?.label || "x"} ${withUnit(fmt(x, 5), spec.x?.unit)}`;
  const formatter = (list) => {
    const items = list.filter((p) => p.seriesType === "line");
    if (items.length === 0) return "";
    const x = items[0].value[0];
    const shown = items.slice(0, 14);
    const rows = shown.map((p) => {
      const ci = curves[Number(p.seriesName)].points[p.dataIndex]?.[2];
      return [p.color, curves[Number(p.seriesName)].name, withUnit(fmt(p.value[1]) + (finite(ci) ? ` ± ${fmt(ci, 2)}` : ""), spec.y?.unit)];
    });
    return tipTable(title(x), [...rows, ...expectedAt(spec, x, range)], items.length > shown.length ? `and ${items.length - shown.length} more` : null);
  };
  const series = curves.flatMap((c, i) => [lineSeries(c, i, curves.length), intervals(c, i)]);
  series.push(expectedBands({ ...spec, expected: (spec.expected || []).filter((e) => !isMean(spec, e, range)) }, range), expectedPoints(spec), means);
  const margin = means ? { grid: { ...base().grid, right: 16 + 13 * means.data.length } } : {};
  return {
    option: {
      ...base(),
      ...margin,
      tooltip: tooltip(formatter, "axis"),
      xAxis: valueAxis(spec.x, { ...below, splitLine: { show: false }, ...xLimits(spec, range), ...nameMarks(spec) }),
      yAxis: valueAxis(spec.y, above(spec.y)),
      dataZoom: [zoomOn({ xAxisIndex: 0 })],
      series: series.filter(Boolean),
    },
    zoom: "x",
    note: [means ? "Beside the figure: means over the time shown, as the paper has them and, as dots, as they are here." : "", twins].filter(Boolean).join(" "),
    expected: (spec.expected || []).length > 0,
  };
}

// -- bars --

/** Bars lie down if their names would not fit below them. */
const lies = (spec, width) => {
  const longest = Math.max(0, ...(spec.categories || []).map((c) => String(c).length));
  return (spec.categories || []).length * (longest * 7 + 10) > width - 70;
};

function barMarks(spec, flat, total) {
  const items = [];
  (spec.series || []).forEach((s, i) => (s.ci || []).forEach((h, k) => {
    if (finite(h) && finite(s.values[k])) items.push({ kind: "ci", name: String(i), at: k, slot: i, low: s.values[k] - h, high: s.values[k] + h });
  }));
  (spec.expected || []).forEach((e) => {
    const at = (spec.categories || []).findIndex((c) => String(c) === String(e.category));
    const slot = e.series === null || e.series === undefined ? -1 : (spec.series || []).findIndex((s) => s.name === e.series);
    if (at >= 0) items.push({ kind: EXPECTED, name: EXPECTED, at, slot, low: e.low, high: e.high, value: e.value });
  });
  const names = [...new Set(items.map((m) => m.name))];
  return names.map((name) => markSeries(items.filter((m) => m.name === name), name, flat, spec.stack ? 1 : total));
}

function markSeries(items, name, flat, slots) {
  const data = items.map((m) => {
    const values = [m.value ?? m.low ?? m.high, m.low ?? m.value ?? m.high, m.high ?? m.value ?? m.low];
    return flat ? [...values, m.at] : [m.at, ...values];
  });
  return {
    type: "custom", name, id: `mark-${name}`, silent: true, z: 5, tooltip: { show: false }, data,
    encode: flat ? { y: 3, x: [0, 1, 2] } : { x: 0, y: [1, 2, 3] },
    renderItem: (params, api) => {
      const m = items[params.dataIndex];
      const layout = api.barLayout({ barGap: "12%", barCategoryGap: "36%", barMaxWidth: flat ? 18 : 46, count: slots });
      const one = layout[slots === 1 ? 0 : m.slot] || layout[0];
      const whole = m.slot < 0 || slots === 1;
      const half = whole ? layout.reduce((w, l) => Math.max(w, Math.abs(l.offsetCenter) + l.width / 2), 0) + 3 : one.width / 2 + 1;
      const shift = whole ? 0 : one.offsetCenter;
      const at = (v) => api.coord(flat ? [v, m.at] : [m.at, v]);
      const place = (along, across) => (flat ? [along, across] : [across, along]);
      const middle = at(m.value ?? m.low ?? m.high ?? 0)[flat ? 1 : 0] + shift;
      const along = (v) => at(v)[flat ? 0 : 1];
      const stroke = theme().text;
      const line = (a, b, style) => ({ type: "line", shape: { x1: a[0], y1: a[1], x2: b[0], y2: b[1] }, style });
      const children = [];
      if (m.kind === "ci") {
        const style = { stroke, lineWidth: 1.2 };
        children.push(line(place(along(m.low), middle), place(along(m.high), middle), style));
        for (const v of [m.low, m.high]) children.push(line(place(along(v), middle - 4), place(along(v), middle + 4), style));
      } else {
        if (finite(m.low) && finite(m.high)) {
          const a = place(along(m.low), middle - half), b = place(along(m.high), middle + half);
          children.push({ type: "rect", shape: { x: Math.min(a[0], b[0]), y: Math.min(a[1], b[1]), width: Math.abs(a[0] - b[0]), height: Math.abs(a[1] - b[1]) },
            style: { fill: theme().quiet, opacity: 0.28, stroke, lineWidth: 0.75 } });
        }
        for (const v of finite(m.value) ? [m.value] : [m.low, m.high].filter(finite))
          children.push(line(place(along(v), middle - half), place(along(v), middle + half), { stroke, lineWidth: 2, lineDash: [4, 2] }));
      }
      return { type: "group", silent: true, children };
    },
  };
}

/** Bars of a logarithmic axis stand on its lower end, a decade mark below all of them. Values that lie far apart
 * get such an axis of their own accord. */
function barLimits(spec) {
  const all = (spec.series || []).flatMap((s) => s.values || []).filter(finite), positive = all.filter((v) => v > 0);
  const marks = (spec.expected || []).flatMap((e) => [e.low, e.high, e.value]).filter((v) => finite(v) && v > 0);
  const least = Math.min(...positive, ...marks), most = Math.max(...positive, ...marks);
  const log = Boolean(spec.y?.log) || (!spec.stack && positive.length === all.length && all.length > 1 && most / least > 200);
  if (!log || !(least > 0)) return { log: Boolean(spec.y?.log), axis: {} };
  const from = 10 ** Math.floor(Math.log10(least * 0.8));
  return { log: true, axis: { min: from, startValue: from } };
}

export function barChart(spec, width) {
  const flat = lies(spec, width);
  const list = spec.series || [];
  const formatter = (params) => {
    const items = params.filter((p) => p.seriesType === "bar");
    if (items.length === 0) return "";
    const k = items[0].dataIndex;
    const rows = items.map((p) => {
      const s = list[Number(p.seriesName)];
      const ci = s.ci ? s.ci[k] : null;
      return [p.color, s.name, withUnit(fmt(s.values[k]) + (finite(ci) ? ` ± ${fmt(ci, 2)}` : ""), spec.y?.unit)];
    });
    for (const e of spec.expected || [])
      if (String(e.category) === String(spec.categories[k])) rows.push([null, `expected ${e.series || ""}`, bounds(e, spec.y?.unit)]);
    return tipTable(String(spec.categories[k]), rows);
  };
  const category = {
    type: "category", data: (spec.categories || []).map(String), inverse: flat,
    axisLabel: { ...axisText(), interval: 0, hideOverlap: false, width: flat ? Math.min(220, width * 0.4) : undefined, overflow: "truncate" },
    axisLine: { lineStyle: { color: theme().axis } }, axisTick: { show: false },
    name: flat ? "" : axisTitle(spec.x), nameTruncate: { maxWidth: 300 }, ...(flat ? {} : below), nameTextStyle: { color: theme().quiet, fontSize: 12 },
  };
  const limits = barLimits(spec);
  const value = valueAxis({ ...spec.y, log: limits.log }, { ...(flat ? below : above(spec.y)), scale: false, ...limits.axis });
  const series = list.map((s, i) => ({
    type: "bar", name: String(i), id: `s${i}`, data: s.values, stack: spec.stack ? "all" : undefined,
    barMaxWidth: flat ? 18 : 46, barGap: "12%", barCategoryGap: "36%",
    itemStyle: { color: colourOf(i), borderRadius: spec.stack ? 0 : flat ? [0, 2, 2, 0] : [2, 2, 0, 0] },
    emphasis: { focus: "none" },
  }));
  const option = { ...base(), tooltip: tooltip(formatter, "axis"), xAxis: flat ? value : category, yAxis: flat ? category : value,
    dataZoom: [zoomOn(flat ? { yAxisIndex: 0 } : { xAxisIndex: 0 })], series: [...series, ...barMarks(spec, flat, list.length)] };
  option.tooltip.axisPointer = { type: "shadow", shadowStyle: { opacity: 0.12 } };
  option.aria.decal = { show: list.length > 1 };
  const rows = (spec.categories || []).length * (spec.stack ? 1 : Math.max(1, list.length));
  return { option, zoom: flat ? "y" : "x", note: flat && axisTitle(spec.x) ? `Each bar: ${axisTitle(spec.x)}.` : "", expected: (spec.expected || []).length > 0, height: flat ? Math.max(180, 70 + rows * 24) : undefined };
}

// -- heat maps --

export function heatClasses(spec) {
  const zs = (spec.cells || []).map((c) => c[2]).filter(finite);
  if (zs.length === 0) return [];
  const least = Math.min(...zs), most = Math.max(...zs);
  const colours = theme().classes;
  const n = most > least ? colours.length : 1;
  const edge = (i) => least + ((most - least) * i) / n;
  return Array.from({ length: n }, (_, i) => ({ min: edge(i), max: edge(i + 1), color: colours[n === 1 ? 3 : i], dark: i < 3 }));
}

/** The best cell: the greatest value, or the least if z.best is "min". */
export function optimum(spec) {
  const cells = (spec.cells || []).filter((c) => finite(c[2]));
  const sign = spec.z?.best === "min" ? -1 : 1;
  return cells.reduce((best, c) => (best === null || sign * c[2] > sign * best[2] ? c : best), null);
}

export function heatChart(spec, width) {
  const t = theme();
  const classes = heatClasses(spec);
  const best = optimum(spec);
  const cells = (spec.cells || []).filter((c) => finite(c[2]));
  const room = (width - 90) / Math.max(1, (spec.xs || []).length);
  const axis = (list, a, extra) => ({
    type: "category", data: list.map((v) => fmt(v)), axisLabel: axisText(), axisLine: { show: false }, axisTick: { show: false },
    name: axisTitle(a), nameTruncate: { maxWidth: 300 }, nameTextStyle: { color: t.quiet, fontSize: 12, fontFamily: t.font }, splitArea: { show: false }, ...extra,
  });
  const nth = (z) => Math.max(0, classes.findIndex((c) => z <= c.max));
  const formatter = (p) => {
    if (!Array.isArray(p.value)) return "";
    const [ix, iy, z] = p.value;
    return tipTable(withUnit(fmt(z), spec.z?.unit), [[null, spec.x?.label || "x", withUnit(fmt(spec.xs[ix]), spec.x?.unit)], [null, spec.y?.label || "y", withUnit(fmt(spec.ys[iy]), spec.y?.unit)]],
      best && best[0] === ix && best[1] === iy ? "the best cell" : null);
  };
  const series = [{
    type: "heatmap", name: "0", z: 2,
    data: cells.map((c) => ({ value: c, itemStyle: { color: classes[nth(c[2])].color, borderColor: t.panel, borderWidth: cells.length > 900 ? 0 : 1 },
      label: { color: classes[nth(c[2])].dark ? "#ffffff" : "#111111" } })),
    label: { show: cells.length <= 400 && room >= 36, fontSize: 11, formatter: (p) => fmt(p.value[2], 3) },
    emphasis: { itemStyle: { borderColor: t.text, borderWidth: 2 } },
  }];
  if (best)
    series.push({ type: "custom", name: "best", silent: true, z: 5, data: [[best[0], best[1]]], tooltip: { show: false },
      renderItem: (params, api) => {
        const [x, y] = api.coord([best[0], best[1]]);
        const [w, h] = api.size([1, 1]);
        const rect = (grow, stroke, lineWidth) => ({ type: "rect", shape: { x: x - w / 2 + grow, y: y - h / 2 + grow, width: w - 2 * grow, height: h - 2 * grow, r: 2 }, style: { fill: "none", stroke, lineWidth } });
        return { type: "group", silent: true, children: [rect(1, "#ffffff", 5), rect(1, "#d4006a", 2.5)] };
      } });
  return {
    option: { ...base(), tooltip: tooltip(formatter, "item"), xAxis: axis(spec.xs || [], spec.x, below), yAxis: axis(spec.ys || [], spec.y, above({})), series },
    classes, best, height: Math.min(560, Math.max(240, 90 + (spec.ys || []).length * 30)),
  };
}
