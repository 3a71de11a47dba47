// The timeline of ranks: a row per rank (or per some ranks of a large job), coloured where a CPU computes, sends or
// receives; what is blank waits. Collectives are brackets over their job, the critical path a line through the rows.
// Zoom as networks do: Ctrl and wheel, drag, pinch, keys; rows grow with the time until they can be read.
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { el, fmt, withUnit } from "./dom.js";
import { onTheme, theme } from "./theme.js";

const KINDS = [["computes", 0, 0, 1], ["sends", 1, 0, 0.62], ["receives", 2, 0.38, 0.62]]; // name, colour, top and height within a row
const HEAD = 22, ROW_MOST = 20, AXIS = 26, GAP = 8;

const nice = (span, parts) => {
  const raw = span / Math.max(1, parts), power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find((m) => m * power >= raw) ?? 10);
};

export class RankChart {
  constructor(spec) {
    this.spec = spec;
    this.unit = spec.x?.unit || "ms";
    this.perUnit = spec.cycle_ns > 0 ? spec.cycle_ns : this.unit === "µs" ? 1e3 : 1e6; // ns
    this.begin = Math.min(0, spec.from);
    this.finish = spec.to;
    this.showPath = false;
    this.lanes = []; // what stands below each other: heads of jobs and rows, in units of a row's height
    this.total = 0;
    spec.jobs.forEach((job, j) => {
      this.lanes.push({ job: j, top: this.total, head: true });
      this.total += 1;
      spec.rows.forEach((r, i) => { if (r[0] === j) { this.lanes.push({ row: i, top: this.total }); this.total += 1; } });
    });
    this.heads = spec.jobs.length;
    this.laneOf = new Map(this.lanes.filter((l) => !l.head).map((l) => [l.row, l]));
    this.canvas = el("canvas", { class: "net-canvas", role: "img", tabindex: "0", "aria-label": `Timeline of ${fmt(spec.rows.length)} rows of ranks. The data is available as CSV.` });
    this.tip = el("div", { class: "net-tip", hidden: true });
    this.pathButton = spec.jobs.some((j) => j.path.length) ? el("button", { type: "button", class: "chip", "aria-pressed": "false", title: "What the end of a job depended on", onclick: () => { this.showPath = !this.showPath; this.refresh(); } }, "critical path") : null;
    this.legend = el("span", { class: "key flat rank-legend" });
    this.roam = el("button", { type: "button", class: "tool roam", title: "The wheel zooms without Ctrl", onclick: () => { this.roams = !this.roams; this.refresh(); } }, "Wheel zooms");
    const bar = el("div", { class: "net-bar" }, this.pathButton, this.legend, el("span", { class: "tools" }, this.roam, el("button", { type: "button", class: "tool", title: "Show all again", onclick: () => this.reset() }, "Reset")));
    this.node = el("div", { class: "net ranks" }, bar, el("div", { class: "net-box" }, this.canvas, this.tip));
    this.zoom = zoom().scaleExtent([1, 5000]).filter((e) => (e.type === "wheel" ? e.ctrlKey || this.roams : !e.button)).on("zoom", (e) => this.moved(e));
    this.t = zoomIdentity;
    this.offset = 0;
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("pointermove", (e) => this.point(e));
    this.canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    onTheme(() => this.refresh());
    new ResizeObserver(() => this.fit()).observe(this.node);
    this.refresh();
    (window.coppiceRanks ??= []).push(this); // for tests and for the console
  }

  fit(width) {
    const w = Math.floor(width || this.node.clientWidth);
    if (w < 40 || (w === this.w && this.h)) return;
    this.base = Math.max(1.4, Math.min(ROW_MOST, (520 - AXIS) / this.total));
    const h = Math.round(this.base * this.total + AXIS + GAP + this.heads * (Math.max(this.base, HEAD) - this.base));
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    Object.assign(this, { w, h, ratio, left: w < 520 ? 46 : 84 });
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    Object.assign(this.canvas.style, { width: `${w}px`, height: `${h}px` });
    this.zoom.extent([[this.left, 0], [w, h]]).translateExtent([[this.left, -Infinity], [w, Infinity]]);
    this.draw();
  }

  // -- places --

  row() { return Math.min(ROW_MOST, this.base * this.t.k); }
  x(ns) { return (this.left + ((ns - this.begin) / (this.finish - this.begin)) * (this.w - this.left - 8)) * this.t.k + this.t.x; }
  time(px) { return this.begin + ((((px - this.t.x) / this.t.k) - this.left) / (this.w - this.left - 8)) * (this.finish - this.begin); }
  /** Heads of jobs are never lower than their text. */
  place() {
    const row = this.row(), head = Math.max(row, HEAD);
    let y = GAP / 2 + this.offset;
    for (const l of this.lanes) {
      l.y = y;
      l.height = l.head ? head : row;
      y += l.height;
    }
    return y - this.offset;
  }

  moved(e) {
    const before = this.row(), dy = e.transform.y - this.t.y, scaled = e.transform.k !== this.t.k;
    this.t = e.transform;
    if (scaled) {
      const at = e.sourceEvent?.offsetY ?? this.h / 2;
      this.offset = at - ((at - this.offset) * this.row()) / before;
    } else this.offset += dy;
    const whole = this.place();
    this.offset = Math.max(Math.min(0, this.h - AXIS - whole), Math.min(0, this.offset));
    this.draw();
  }

  reset() {
    this.offset = 0;
    select(this.canvas).call(this.zoom.transform, zoomIdentity);
  }

  key(e) {
    const by = { "+": 1.4, "=": 1.4, "-": 1 / 1.4 }[e.key], move = { ArrowLeft: [80, 0], ArrowRight: [-80, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (by) select(this.canvas).call(this.zoom.scaleBy, by);
    else if (move) select(this.canvas).call(this.zoom.translateBy, move[0] / this.t.k, move[1] / this.t.k);
    else if (e.key === "0") this.reset();
    else return;
    e.preventDefault();
  }

  // -- drawing --

  refresh() {
    this.pathButton?.setAttribute("aria-pressed", String(this.showPath));
    this.roam.setAttribute("aria-pressed", String(Boolean(this.roams)));
    this.legend.replaceChildren(...KINDS.map(([name, colour, top, high]) => el("span", { class: "rank-key" }, el("span", { class: "rank-patch", style: `background:linear-gradient(${theme().series[colour]},${theme().series[colour]}) 0 ${top * 12}px/100% ${high * 12}px no-repeat` }), name)), el("span", { class: "rank-key" }, el("span", { class: "rank-patch" }), "waits"));
    this.draw();
  }

  draw() {
    if (!this.w) return;
    const c = this.canvas.getContext("2d"), t = theme();
    this.place();
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.w, this.h);
    c.save();
    c.beginPath();
    c.rect(0, 0, this.w, this.h - AXIS);
    c.clip();
    for (const l of this.lanes) {
      if (l.head || l.y + l.height < 0 || l.y > this.h) continue;
      this.drawRow(c, t, l);
    }
    if (this.showPath) this.drawPath(c, t);
    this.drawNames(c, t);
    for (const l of this.lanes) if (l.head) this.drawHead(c, t, l);
    c.restore();
    this.drawAxis(c, t);
    this.canvas.dataset.painted = String((Number(this.canvas.dataset.painted) || 0) + 1);
  }

  drawRow(c, t, l) {
    const { spec } = this, r = spec.rows[l.row], gap = l.height > 6 ? 1 : 0, high = Math.max(0.8, l.height - gap);
    const last = r[4] ?? this.finish, x0 = Math.max(this.left, this.x(spec.jobs[r[0]].start)), x1 = this.x(last);
    c.fillStyle = t.dark ? "#20262d" : "#eef1f4";
    c.fillRect(x0, l.y, Math.max(0, x1 - x0), high);
    if (spec.slices) {
      const s = spec.slices[l.row];
      for (let i = 0; i < s.length; i += 3) {
        const a = this.x(s[i + 1]), b = this.x(s[i + 1] + s[i + 2]);
        if (b < this.left || a > this.w) continue;
        const [, colour, top, part] = KINDS[s[i]];
        c.fillStyle = t.series[colour];
        c.fillRect(a, l.y + top * high, Math.max(0.5, b - a), part * high);
      }
    } else {
      const s = spec.cells[l.row], wide = (this.finish - spec.from) / spec.bins;
      for (let i = 0; i < s.length; i += 4) {
        const a = this.x(spec.from + s[i] * wide), b = this.x(spec.from + (s[i] + 1) * wide);
        if (b < this.left || a > this.w) continue;
        let y = l.y + high;
        for (let k = 0; k < 3; k++) {
          const part = Math.min(1, s[i + 1 + k] / 100) * high;
          c.fillStyle = t.series[KINDS[k][1]];
          y -= part;
          c.fillRect(a, y, Math.max(0.5, b - a) + 0.3, part);
        }
      }
    }
    if (r[4] === null) return;
    c.fillStyle = t.text;
    c.fillRect(this.x(r[4]), l.y, 1.5, high);
  }

  /** The name of a job stays while its rows are in sight. */
  drawHead(c, t, lane) {
    const job = this.spec.jobs[lane.job], next = this.lanes.find((o) => o.head && o.job === lane.job + 1);
    const l = { ...lane, y: Math.min(Math.max(lane.y, 0), next ? next.y - lane.height : Infinity) };
    c.fillStyle = t.page;
    c.fillRect(0, l.y, this.w, l.height);
    const taken = [];
    c.font = `600 12px ${t.font}`;
    const done = job.end === null ? "not finished" : `${withUnit(fmt((job.end - job.start) / this.perUnit), this.unit)}`;
    const text = `${job.name}: ${done}`, w = c.measureText(text).width;
    c.textAlign = "left";
    c.textBaseline = "middle";
    c.fillStyle = t.text;
    c.fillText(text, 4, l.y + l.height / 2, this.w - 8);
    taken.push([0, w + 14]);
    c.font = `400 11px ${t.font}`;
    c.strokeStyle = t.axis;
    c.lineWidth = 1;
    for (const [name, , start, end] of job.collectives) {
      const a = this.x(start ?? job.start), b = this.x(end ?? this.finish), y = l.y + l.height - 3;
      if (b < this.left || a > this.w) continue;
      c.beginPath();
      c.moveTo(Math.max(a, w + 14) + 0.5, y - 4);
      c.lineTo(Math.max(a, w + 14) + 0.5, y);
      c.lineTo(b - 0.5, y);
      c.lineTo(b - 0.5, y - 4);
      if (b > w + 20) c.stroke();
      const own = c.measureText(name).width, from = Math.max(a, this.left), to = Math.min(b, this.w), x = (from + to - own) / 2;
      if (own + 8 > to - from || taken.some(([p, q]) => x < q && x + own > p)) continue;
      taken.push([x - 4, x + own + 4]);
      c.fillStyle = t.quiet;
      c.fillText(name, x, l.y + l.height / 2 - 2);
    }
  }

  /** Ranks at the left, as many as there is room for. */
  drawNames(c, t) {
    c.fillStyle = t.page;
    for (const l of this.lanes) if (!l.head) c.fillRect(0, l.y, this.left - 4, l.height);
    c.font = `400 11px ${t.font}`;
    c.textAlign = "right";
    c.textBaseline = "middle";
    c.fillStyle = t.quiet;
    const every = Math.max(1, Math.ceil(13 / this.row()));
    let n = 0;
    for (const l of this.lanes) {
      if (l.head) {
        n = 0;
        continue;
      }
      if (n++ % every || (this.row() < 13 && l.y + 7 > this.h - AXIS)) continue;
      const r = this.spec.rows[l.row], name = r[1] === r[2] ? `${r[1]}` : `${r[1]}–${r[2]}`;
      const y = Math.max(l.y + l.height / 2, l.y + (this.row() < 13 ? 6 : 0));
      c.fillText(this.left >= 80 ? `rank ${name}` : name, this.left - 8, y, this.left - 10);
    }
  }

  drawPath(c, t) {
    c.strokeStyle = t.dark ? "#ff5c9a" : "#c2185b";
    c.lineWidth = 1.6;
    for (const job of this.spec.jobs) {
      c.beginPath();
      let later = null; // where the step after this one began
      for (const [row, from, to] of job.path) {
        const l = this.laneOf.get(row), y = l.y + l.height / 2;
        if (later) {
          c.moveTo(this.x(to), y);
          c.lineTo(later[0], later[1]);
        }
        c.moveTo(this.x(from), y);
        c.lineTo(this.x(to), y);
        later = [this.x(from), y];
      }
      c.stroke();
    }
  }

  drawAxis(c, t) {
    const a = this.time(this.left), b = this.time(this.w), step = nice((b - a) / this.perUnit, (this.w - this.left) / 110), y = this.h - AXIS;
    c.strokeStyle = t.axis;
    c.lineWidth = 1;
    c.beginPath();
    c.moveTo(this.left, y + 0.5);
    c.lineTo(this.w, y + 0.5);
    c.font = `400 11px ${t.font}`;
    c.fillStyle = t.quiet;
    c.textBaseline = "top";
    c.textAlign = "center";
    for (let v = Math.ceil(a / this.perUnit / step) * step; v * this.perUnit <= b; v += step) {
      const x = this.x(v * this.perUnit), text = fmt(Number(v.toPrecision(10)), 7), w = c.measureText(text).width / 2;
      c.moveTo(x, y);
      c.lineTo(x, y + 4);
      if (x - w > this.left - 20 && x + w < this.w - 26) c.fillText(text, x, y + 8);
    }
    c.stroke();
    c.textAlign = "right";
    c.fillText(this.unit, this.w - 4, y + 8);
  }

  // -- pointing --

  point(e) {
    const box = this.canvas.getBoundingClientRect(), x = e.clientX - box.left, y = e.clientY - box.top, lane = this.lanes.find((l) => y >= l.y && y < l.y + l.height);
    this.tip.hidden = !lane || y > this.h - AXIS;
    if (this.tip.hidden) return;
    const [title, rows] = lane.head ? this.jobRows(lane.job) : this.rankRows(lane.row, this.time(x));
    this.tip.replaceChildren(el("div", { class: "tip-title" }, title), el("table", {}, rows.map(([a, b]) => el("tr", {}, el("td", {}, a), el("td", { class: "num" }, b)))));
    const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(0, Math.min(this.w - w, x + 14))}px`;
    this.tip.style.top = `${y + 18 + h > this.h ? Math.max(0, y - h - 10) : y + 18}px`;
  }

  text(ns) { return ns === null ? "not finished" : withUnit(fmt(ns / this.perUnit, 5), this.unit); }

  jobRows(j) {
    const job = this.spec.jobs[j];
    return [`${job.name} (${job.program}), ${fmt(job.ranks)} ranks`, [["begins", this.text(job.start)], ["ends", this.text(job.end)], ["critical path", ""], ["computation", this.text(job.compute)], ["overhead of messages", this.text(job.overhead)], ["network", this.text(job.network)], ["waiting", this.text(job.wait)]]];
  }

  rankRows(i, now) {
    const [j, first, last, host, end, compute, overhead, waiting] = this.spec.rows[i], rows = [];
    const s = this.spec.slices?.[i] || [];
    let doing = this.spec.slices ? "waits" : null;
    for (let k = 0; k < s.length; k += 3) if (now >= s[k + 1] && now <= s[k + 1] + s[k + 2]) doing = `${KINDS[s[k]][0]} for ${this.text(s[k + 2])}`;
    if (doing) rows.push([`at ${this.text(now)}`, doing]);
    if (host !== null) rows.push(["host", String(host)]);
    rows.push([first === last ? "ends" : "the last one ends", this.text(end)], ["computation", this.text(compute)], ["overhead of messages", this.text(overhead)], ["waiting", this.text(waiting)]);
    return [`${this.spec.jobs[j].name}, rank${first === last ? ` ${first}` : `s ${first} to ${last}, mean`}`, rows];
  }

  png() { return new Promise((resolve) => this.canvas.toBlob(resolve, "image/png")); }
}
