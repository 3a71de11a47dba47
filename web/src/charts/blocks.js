// Bars and heat maps: values of categories. Bars lie down where their names would not fit below them, and stand on the
// lower end of a logarithmic axis; heat maps have seven classes and a frame around the best cell.
import { axisTitle, fmt, withUnit } from "../dom.js";
import { theme } from "../theme.js";
import { above, axisText, base, below, bounds, colourOf, EXPECTED, finite, isUnsteady, tipTable, tooltip, UNSTEADY, unsteadyNote, valueAxis, zoomOn } from "./common.js";

// -- bars --

/** Bars lie down if their names would not fit below them. */
const lies = (spec, width) => {
  const longest = Math.max(0, ...(spec.categories || []).map((c) => String(c).length));
  return (spec.categories || []).length * (longest * 7 + 10) > width - 70;
};

/** Which bar of its category an expectation speaks of: the series that it names, or the only one that the others do not name; -1: all. */
function slotOf(spec, e) {
  const list = spec.series || [], named = (x) => list.findIndex((s) => s.name === (x.series ?? x.name));
  if (named(e) >= 0 || e.series) return named(e);
  const beside = (spec.expected || []).filter((x) => x !== e && String(x.category) === String(e.category)).map(named);
  const free = list.map((_, i) => i).filter((i) => !beside.includes(i));
  return beside.length > 0 && !beside.includes(-1) && free.length === 1 ? free[0] : -1;
}

function barMarks(spec, flat, total) {
  const items = [];
  (spec.series || []).forEach((s, i) => (s.ci || []).forEach((h, k) => {
    if (finite(h) && finite(s.values[k])) items.push({ kind: "ci", name: String(i), at: k, slot: i, low: s.values[k] - h, high: s.values[k] + h });
  }));
  (spec.expected || []).forEach((e) => {
    const at = (spec.categories || []).findIndex((c) => String(c) === String(e.category)), slot = slotOf(spec, e);
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
      return [p.color, s.name, withUnit(fmt(s.values[k]) + (finite(ci) ? ` ± ${fmt(ci, 2)}` : ""), spec.y?.unit) + (isUnsteady(s, k) ? `, ${UNSTEADY}` : "")];
    });
    for (const e of spec.expected || [])
      if (String(e.category) === String(spec.categories[k])) rows.push([null, `expected ${e.series || (slotOf(spec, e) >= 0 ? list[slotOf(spec, e)].name : "")}`, bounds(e, spec.y?.unit)]);
    return tipTable(String(spec.categories[k]), rows);
  };
  const room = flat ? Math.min(220, width * 0.4) : 0, broken = (text) => (flat && text.length * 6.6 > room ? text.replace(/ → /, "\n→ ") : text);
  const two = flat && (spec.categories || []).some((c) => broken(String(c)).includes("\n"));
  const category = {
    type: "category", data: (spec.categories || []).map(String), inverse: flat,
    axisLabel: { ...axisText(), interval: 0, hideOverlap: false, width: flat ? room : undefined, overflow: "truncate", formatter: broken, ...(two ? { lineHeight: 13, fontSize: 11 } : {}) },
    axisLine: { lineStyle: { color: theme().axis } }, axisTick: { show: false },
    name: flat ? "" : axisTitle(spec.x), nameTruncate: { maxWidth: 300 }, ...(flat ? {} : below), nameTextStyle: { color: theme().quiet, fontSize: 12 },
  };
  const limits = barLimits(spec);
  const value = valueAxis({ ...spec.y, log: limits.log }, { ...(flat ? below : above(spec.y)), scale: false, ...limits.axis });
  const series = list.map((s, i) => ({
    type: "bar", name: String(i), id: `s${i}`,
    data: (s.values || []).map((v, k) => (isUnsteady(s, k) ? { value: v, itemStyle: { color: theme().panel, borderColor: colourOf(i), borderWidth: 1.5, borderType: "dashed", decal: { symbol: "none" } } } : v)), stack: spec.stack ? "all" : undefined,
    barMaxWidth: flat ? 18 : 46, barGap: "12%", barCategoryGap: "36%",
    itemStyle: { color: colourOf(i), borderRadius: spec.stack ? 0 : flat ? [0, 2, 2, 0] : [2, 2, 0, 0] },
    emphasis: { focus: "none" },
  }));
  const option = { ...base(), tooltip: tooltip(formatter, "axis"), xAxis: flat ? value : category, yAxis: flat ? category : value,
    dataZoom: [zoomOn(flat ? { yAxisIndex: 0 } : { xAxisIndex: 0 })], series: [...series, ...barMarks(spec, flat, list.length)] };
  option.tooltip.axisPointer = { type: "shadow", shadowStyle: { opacity: 0.12 } };
  option.aria.decal = { show: list.length > 1 };
  const rows = (spec.categories || []).length * (spec.stack ? 1 : Math.max(1, list.length));
  const note = [flat && axisTitle(spec.x) ? `Each bar: ${axisTitle(spec.x)}.` : "", unsteadyNote(list, "Hollow bars")].filter(Boolean).join(" ");
  return { option, zoom: flat ? "y" : "x", note, expected: (spec.expected || []).length > 0, height: flat ? Math.max(flat && rows < 4 ? 130 : 180, 70 + rows * (two ? 30 : 24)) : undefined };
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
  const loose = new Set((spec.unsteady || []).map((k) => spec.cells[k]));
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
      [best && best[0] === ix && best[1] === iy ? "the best cell" : "", p.data.loose ? UNSTEADY : ""].filter(Boolean).join("; ") || null);
  };
  const series = [{
    type: "heatmap", name: "0", z: 2,
    data: cells.map((c) => ({ value: c, loose: loose.has(c), itemStyle: { color: classes[nth(c[2])].color, borderColor: t.panel, borderWidth: cells.length > 900 ? 0 : 1 },
      label: { color: classes[nth(c[2])].dark ? "#ffffff" : "#111111" } })),
    label: { show: cells.length <= 400 && room >= 36, fontSize: 11, formatter: (p) => fmt(p.value[2], 3) + (p.data.loose ? "*" : "") },
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
    classes, best, note: unsteadyNote([spec], "Cells with an asterisk"), height: Math.min(560, Math.max(240, 90 + (spec.ys || []).length * 30)),
  };
}
