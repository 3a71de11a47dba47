// Curves, over time or anything else: markers tell them apart without colour, intervals are whiskers or bands, a curve
// that lies on another is dashed on top of it. What a paper says stands behind them: bands and bounds over a part of the
// x axis, points with their tolerance, means in the margin. All of that is one series for the legend, and has the colour
// of the curve that it speaks of. A curve's line ends where its runs are no longer steady: hollow marks follow, joined by dots.
import * as graphic from "echarts/lib/export/api/graphic.js";
import { fmt, withUnit } from "../dom.js";
import { theme } from "../theme.js";
import { above, axisText, base, below, bounds, colourOf, dashOf, EXPECTED, finite, isUnsteady, logMarks, symbolOf, tipTable, tooltip, UNSTEADY, unsteadyNote, valueAxis, whisker, zoomOn } from "./common.js";

const MANY = 60; // points; beyond, intervals are bands
const FAR = 60; // times

function cleanPoints(s, spec) {
  const positive = (v, axis) => !(axis && axis.log) || v > 0;
  return (s.points || []).map((p, i) => [p[0], finite(p[1]) && positive(p[1], spec.y) ? p[1] : null, s.ci ? s.ci[i] : null, isUnsteady(s, i)])
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
    data: c.points.map((p) => [p[0], p[3] ? null : p[1]]),
    symbol: symbolOf(i), showSymbol: true, showAllSymbol: true,
    symbolSize: (v, p) => ((p.dataIndex + every - shift) % every === 0 ? 7 : 0),
    lineStyle: { width: c.twin ? 3 : 2, color: colour, type: dashOf(i, c.dash) },
    itemStyle: { color: colour },
    emphasis: { focus: "series", lineStyle: { width: 3 } },
    blur: { lineStyle: { opacity: 0.25 }, itemStyle: { opacity: 0.25 } },
  };
}

/** The points of a curve that are not steady, with those beside them, so that dots lead there from the line's end. */
function unsteadySeries(c, i, total) {
  if (!c.points.some((p) => p[3])) return null;
  const colour = colourOf(i), shape = symbolOf(i).replace("empty", "").toLowerCase();
  const beside = (k) => c.points[k][3] || c.points[k - 1]?.[3] || c.points[k + 1]?.[3];
  return {
    type: "line", name: String(i), id: `u${i}`, z: 3 + (total - i) * 0.01,
    data: c.points.map((p, k) => ({ value: [p[0], beside(k) ? p[1] : null], symbolSize: p[3] ? 8 : 0 })),
    symbol: shape, showSymbol: true, showAllSymbol: true,
    lineStyle: { width: 1.5, color: colour, type: [1, 4], opacity: 0.8 },
    itemStyle: { color: theme().panel, borderColor: colour, borderWidth: 1.5 },
    emphasis: { focus: "series" }, blur: { lineStyle: { opacity: 0.25 }, itemStyle: { opacity: 0.25 } },
  };
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

// -- what a paper says --

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

// -- the chart --

/** Curves over time that lie far apart get a logarithmic axis of their own accord: the lower one would be a line at 0. */
function apart(spec) {
  if (spec.kind !== "time" || spec.y?.log || (spec.series || []).length < 2) return false;
  const middles = spec.series.map((s) => (s.points || []).map((p) => p[1]).filter(finite).sort((a, b) => a - b)).map((v) => v[v.length >> 1]);
  return middles.every((v) => v > 0) && Math.max(...middles) / Math.min(...middles) > FAR;
}

export function curveChart(given) {
  const spec = { ...given }, far = apart(spec);
  if (far) spec.y = { ...spec.y, log: true, min: null };
  const ends = xRange(spec, (spec.series || []).map((s) => ({ points: (s.points || []).filter((p) => p[0] > 0) })));
  // Over less than three octaves a logarithmic axis has no marks to read, and no use.
  if (spec.x?.log && !(ends[1] / ends[0] >= 8)) spec.x = { ...spec.x, log: false };
  const curves = (spec.series || []).map((s) => ({ ...s, points: cleanPoints(s, spec) }));
  const range = xRange(spec, curves);
  const twins = findTwins(curves);
  const means = expectedMeans(spec, curves, range);
  const title = (x) => `${spec.x?.label || "x"} ${withUnit(fmt(x, 5), spec.x?.unit)}`;
  const formatter = (list) => {
    const items = list.filter((p) => p.seriesType === "line" && finite(p.value?.[1]) && (p.seriesId[0] === "u") === (curves[Number(p.seriesName)].points[p.dataIndex]?.[3] === true));
    if (items.length === 0) return "";
    const x = items[0].value[0];
    const shown = items.slice(0, 14);
    const rows = shown.map((p) => {
      const c = curves[Number(p.seriesName)], [, , ci, unsteady] = c.points[p.dataIndex];
      return [colourOf(Number(p.seriesName)), c.name, withUnit(fmt(p.value[1]) + (finite(ci) ? ` ± ${fmt(ci, 2)}` : ""), spec.y?.unit) + (unsteady ? `, ${UNSTEADY}` : "")];
    });
    return tipTable(title(x), [...rows, ...expectedAt(spec, x, range)], items.length > shown.length ? `and ${items.length - shown.length} more` : null);
  };
  const series = curves.flatMap((c, i) => [lineSeries(c, i, curves.length), unsteadySeries(c, i, curves.length), intervals(c, i)]);
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
    note: [means ? "Beside the figure: means over the time shown, as the paper has them and, as dots, as they are here." : "", far ? "The axis is logarithmic, because the curves lie far apart." : "", unsteadyNote(curves, "Hollow marks, joined by dots"), twins].filter(Boolean).join(" "),
    expected: (spec.expected || []).length > 0,
  };
}
