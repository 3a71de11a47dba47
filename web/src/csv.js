// The data of a figure as CSV, the same as `coppice report --csv` writes (src/report/csv.c).

const number = (v) => {
  if (Number.isInteger(v)) return String(v);
  const text = String(Number(v.toPrecision(10)));
  return text;
};

// A spreadsheet computes text that begins like this, and may run programs while it does so. An
// apostrophe in front makes it take the rest as text.
const formula = (text) =>
  /^[=+\-@\t\r\n]/.test(text) && !/^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text);
const quoted = (prefix, v) => `"${prefix}${String(v ?? "").replace(/"/g, '""')}"`;

function cell(v) {
  if (v === null || v === undefined) return "";
  if (typeof v === "number") return number(v);
  const text = String(v);
  if (formula(text)) return quoted("'", text);
  return /[",;\t\r\n]/.test(text) ? quoted("", text) : text;
}

const line = (...cells) => cells.map(cell).join(",");

/** The last column before the seeds, if any value of the figure has one: what is not steady. */
const STEADY = "steady";
const anyUnsteady = (f) => [f, ...(f.series || [])].some((s) => (s.unsteady || []).length > 0);
const steadyHead = (f) => (anyUnsteady(f) ? `,${STEADY}` : "");
const steadyCell = (f, s, k) => (anyUnsteady(f) ? `,${s === null ? "" : (s.unsteady || []).includes(k) ? "no" : "yes"}` : "");

const axisName = (f, axis, otherwise) => cell((f[axis]?.label || otherwise) + (f[axis]?.unit ? ` (${f[axis].unit})` : ""));
/** A column for each seed, behind the others. */
const seedHeads = (f) => (f.seeds || []).map((s) => `,seed ${s}`).join("");
const seedCells = (f, values) => (f.seeds || []).map((_, i) => `,${cell(values?.[i])}`).join("");
const xCell = (f, x) => f.x?.names?.[x] ?? x;

function curves(f) {
  const out = [`series,${axisName(f, "x", "x")},${axisName(f, "y", "y")},ci,low,high${steadyHead(f)}${seedHeads(f)}`];
  for (const s of f.series || [])
    (s.points || []).forEach((p, i) => out.push(line(s.name, xCell(f, p[0]), p[1], s.ci && s.ci[i], null, null) + steadyCell(f, s, i) + seedCells(f, s.seeds?.[i])));
  for (const e of f.expected || []) {
    const name = quoted("expected ", e.name);
    if (Array.isArray(e.points)) for (const p of e.points) out.push(`${name},${line(p[0], p[1], null, null, null)}${steadyCell(f, null)}${seedCells(f)}`);
    else for (const x of [e.from, e.to]) out.push(`${name},${line(x, e.value, null, e.low, e.high)}${steadyCell(f, null)}${seedCells(f)}`);
  }
  return out;
}

function bars(f) {
  const out = [`${axisName(f, "x", "category")},series,${axisName(f, "y", "value")},ci,low,high${steadyHead(f)}${seedHeads(f)}`];
  for (const s of f.series || [])
    (s.values || []).forEach((v, i) => out.push(line(f.categories[i], s.name, v, s.ci && s.ci[i], null, null) + steadyCell(f, s, i) + seedCells(f, s.seeds?.[i])));
  for (const e of f.expected || [])
    out.push(`${cell(e.category)},${quoted("expected ", e.series)},${line(e.value, null, e.low, e.high)}${steadyCell(f, null)}${seedCells(f)}`);
  return out;
}

const heatmap = (f) => [`${axisName(f, "x", "x")},${axisName(f, "y", "y")},${axisName(f, "z", "z")}${steadyHead(f)}${seedHeads(f)}`,
  ...(f.cells || []).map((c, i) => line(f.xs[c[0]], f.ys[c[1]], c[2]) + steadyCell(f, f, i) + seedCells(f, f.cell_seeds?.[i]))];

function network(f) {
  const name = (end) => (typeof end === "number" ? (f.nodes[end] || {}).name : end);
  const out = ["from,to,use,queue_bytes"];
  for (const l of f.links || []) {
    const v = Array.isArray(l) ? l : [l.from, l.to, l.use, l.queue];
    out.push(line(name(v[0]), name(v[1]), v[2], v[3]));
  }
  return out;
}

const ranks = (f) => ["job,first_rank,last_rank,host,end_ns,compute_ns,overhead_ns,waiting_ns",
  ...(f.rows || []).map((r) => line(f.jobs[r[0]]?.name, ...r.slice(1)))];
const ranking = (f) => [`table,${cell(f.rows)},rank,tied,measure,unit,value,ci,why${seedHeads(f)}`,
  ...(f.tabs || []).flatMap((t) => t.rows.flatMap((r) => r.cells.map((c, k) =>
    line(t.name, r.name, r.rank, r.tied, f.columns[k].name, f.columns[k].unit, c.v, c.ci, r.why) + seedCells(f, c.seeds))))];

export function figureCsv(f) {
  let lines = [];
  if (f.kind === "line" || f.kind === "time") lines = curves(f);
  else if (f.kind === "bar") lines = bars(f);
  else if (f.kind === "network") lines = network(f);
  else if (f.kind === "ranks") lines = ranks(f);
  else if (f.kind === "heatmap") lines = heatmap(f);
  else if (f.kind === "ranking") lines = ranking(f);
  else if (f.kind === "table") lines = [f.columns || [], ...(f.rows || [])].map((r) => line(...r));
  return lines.join("\r\n") + "\r\n";
}
