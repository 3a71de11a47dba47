// A viewer: one network, or two runs side by side on one clock. Colour by use, waiting bytes or blocked time; a
// slider plays the run; wheel and drag zoom and move (pane.js). It knows sources only by the members that source.js
// describes, so that a source may be the document inside the page or a simulation that still runs.
import { select } from "d3-selection";
import { zoomIdentity } from "d3-zoom";
import { bytesText, timeText } from "../amounts.js";
import { el } from "../dom.js";
import { onTheme, ramp, theme } from "../theme.js";
import { Pane, roomFor } from "./pane.js";

const MODES = [["waiting", "waiting bytes", "what waits for a port, at its switch"], ["use", "use", "share of the time in which the wire is busy"],
  ["blocked", "blocked time", "share of the time in which something waits and may not go"]];
const PLAY_MS = 14000; // a whole run
const SPEEDS = [[0.25, "¼ ×"], [0.5, "½ ×"], [1, "1 ×"], [2, "2 ×"], [4, "4 ×"]]; // of the player
const DELAYS = [[0, "full speed"], [100, "10 frames/s"], [500, "2 frames/s"], [2000, "1 in 2 s"]]; // of a simulation that runs: ms between frames

export class Viewer {
  /** sources: one or two; titles: what stands over them. */
  constructor(sources, titles) {
    this.roams = false;
    this.showTrees = true;
    this.aspect = this.aspectOf(sources);
    this.panes = sources.map((s, i) => new Pane(this, s, titles?.[i] ?? (sources.length > 1 ? s.title : "")));
    this.most = Math.max(...sources.map((s) => s.most));
    const [first, ...rest] = sources.map((s) => s.units);
    this.units = rest.every((u) => u?.cycle === first?.cycle && u?.flit === first?.flit) ? first : null; // of the common clock and legend
    const timed = sources.some((s) => s.live || s.times.length > 1), blocked = sources.some((s) => s.live || s.frames?.length > 0);
    this.mode = sources.some((s) => s.live || s.network.ports.some((p) => p.queue > 0 || p.most > 0)) ? "waiting" : "use";
    this.modes = el("div", { class: "net-modes", role: "group", "aria-label": "Colour by" }, MODES.filter(([m]) => m !== "blocked" || blocked).map(([m, label, title]) =>
      el("button", { type: "button", class: "chip", title, "data-mode": m, onclick: () => { this.mode = m; this.refresh(); } }, label)));
    this.treeButton = sources.some((s) => s.live || s.trees.length) ? el("button", { type: "button", class: "chip", title: "Show or hide the congestion trees", onclick: () => { this.showTrees = !this.showTrees; this.refresh(); } }, "trees") : null;
    this.legend = el("span", { class: "key flat" });
    this.roam = el("button", { type: "button", class: "tool roam", title: "The wheel zooms without Ctrl", onclick: () => { this.roams = !this.roams; this.refresh(); } }, "Wheel zooms");
    const bar = el("div", { class: "net-bar" }, this.modes, this.treeButton, this.legend, el("span", { class: "tools" }, this.roam, el("button", { type: "button", class: "tool", title: "Show all again", onclick: () => this.panes.forEach((p) => p.reset()) }, "Reset")));
    this.node = el("div", { class: `net ${sources.length > 1 ? "net-two" : ""}` }, bar, timed ? this.clock(sources) : null, el("div", { class: "net-panes" }, this.panes.map((p) => p.node)));
    this.refresh();
    onTheme(() => { this.panes.forEach((p) => p.listTrees()); this.refresh(); });
    new ResizeObserver(() => this.fit()).observe(this.node);
    if (sources.some((s) => s.live)) window.addEventListener("resize", () => this.fit());
    sources.forEach((s) => { s.onframe = (scale, end) => this.arrived(scale, end); });
    this.seek(this.opening(sources));
    (window.coppiceViewers ??= []).push(this); // for tests and for the console
  }

  /** Height over width of the room for one picture, before it is in the page. */
  aspectOf(sources) {
    const { innerWidth: w, innerHeight: h } = window;
    if (sources.some((s) => s.live)) return (h - 360) / w;
    return Math.min(1, roomFor(h) / (Math.min(1256, w) / (sources.length > 1 && w > 700 ? 2.6 : 1)));
  }

  /** One run opens where its trees are largest, two where those of one are large and they differ. */
  opening(sources) {
    const [one, two] = sources.map((s) => ({ times: s.times, weights: s.weights?.() ?? [] }));
    const other = (t) => two?.weights[two.times.reduce((best, time, i) => (Math.abs(time - t) < Math.abs(two.times[best] - t) ? i : best), 0)] ?? 0;
    let time = this.start ?? 0, most = 0;
    one.weights.forEach((w, i) => {
      const beside = other(one.times[i]), by = two ? 2 * Math.max(w, beside) + Math.abs(w - beside) : w;
      if (by > most) [most, time] = [by, one.times[i]];
    });
    return time;
  }

  clock(sources) {
    this.end = Math.max(...sources.map((s) => s.times[s.times.length - 1] || 0));
    this.begin = Math.min(this.end, ...sources.map((s) => s.times[0] ?? Infinity));
    this.slider = el("input", { type: "range", min: 0, max: 1000, step: "any", value: 1000, "aria-label": "Time", class: "net-slider", oninput: () => { this.pause(); this.seek(this.begin + (this.end - this.begin) * Number(this.slider.value) / 1000); } });
    this.time = el("output", { class: "net-time" });
    this.playButton = el("button", { type: "button", class: "chip net-play", onclick: () => this.toggle() });
    this.stepButton = el("button", { type: "button", class: "chip net-play net-step", title: "To the next frame", onclick: () => this.step() }, "Step");
    this.speed = el("select", { class: "net-speed", "aria-label": "Speed", onchange: () => this.hasten() });
    this.start = this.end;
    this.showState();
    return el("div", { class: "net-clock" }, this.playButton, this.stepButton, this.speed, this.slider, this.time);
  }

  /** The simulation behind a pane that still runs, if there is one. */
  runner() { return this.panes.map((p) => p.source).find((s) => s.running); }

  showState() {
    const run = this.runner(), going = run ? !run.paused : this.playing, speeds = run ? DELAYS : SPEEDS;
    this.playButton.textContent = going ? "❚❚ Pause" : run ? "▶ Go on" : "▶ Play";
    if (this.speeds !== speeds) {
      this.speeds = speeds;
      this.speed.replaceChildren(...speeds.map(([v, text]) => el("option", { value: v, selected: v === (run ? 0 : 1) }, text)));
    }
    this.onstate?.();
  }

  toggle() {
    const run = this.runner();
    if (!run) return this.playing ? this.pause() : this.play();
    if (run.paused) {
      run.go();
      this.seek(this.end);
    } else run.pause();
    return this.showState();
  }

  step() {
    const run = this.runner();
    if (run) {
      run.step();
      this.seek(this.end);
      this.showState();
      return;
    }
    this.pause();
    const next = Math.min(...this.panes.flatMap((p) => p.source.times.filter((t) => t > this.now + 1e-9)));
    this.seek(Number.isFinite(next) ? next : this.begin);
  }

  hasten() {
    const run = this.runner();
    if (run) run.delay(Number(this.speed.value));
    else if (this.playing) this.play();
  }

  /** A live source has a new frame, another scale, or all there will ever be. */
  arrived(scale, finished) {
    const times = this.panes.map((p) => p.source.times), atEnd = finished || !(this.now < this.end);
    this.end = Math.max(this.end, ...times.map((t) => t[t.length - 1] || 0));
    this.begin = Math.min(this.end, ...times.map((t) => t[0] ?? Infinity));
    if (scale) {
      this.most = Math.max(...this.panes.map((p) => p.source.most));
      this.refresh();
    }
    this.panes.forEach((p) => p.listTrees());
    this.showState();
    if (atEnd && !this.playing) this.seek(this.end);
    else this.place();
  }

  place() {
    if (!this.slider) return;
    this.slider.value = String(((this.now - this.begin) / (this.end - this.begin || 1)) * 1000);
    this.time.textContent = timeText(this.now, this.end, this.units);
  }

  seek(ms) {
    this.now = ms;
    this.place();
    return Promise.all(this.panes.map((p) => {
      const t = p.source.times;
      let i = 0;
      while (i + 1 < t.length && t[i] < ms - 1e-9) i++;
      return p.show(i);
    }));
  }

  play() {
    if (this.now >= this.end) this.now = this.begin;
    const from = this.now, began = performance.now(), turn = (this.turn = {}), pace = Number(this.speed.value) / PLAY_MS;
    this.playing = true;
    this.showState();
    const step = async () => {
      if (!this.playing || this.turn !== turn) return;
      const ms = from + (performance.now() - began) * pace * (this.end - this.begin);
      await this.seek(Math.min(ms, this.end));
      if (this.turn !== turn) return;
      if (ms >= this.end) this.pause();
      else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  pause() {
    this.playing = false;
    if (this.playButton) this.showState();
  }

  /** Both panes look at the same part, if they show the same network. */
  follow(pane, t) {
    const size = ({ source: { network: n } }) => n.nodes.length + 0.5 * n.ports.length;
    for (const p of this.panes) {
      if (p === pane || size(p) !== size(pane) || (p.painter.t.k === t.k && p.painter.t.x === t.x && p.painter.t.y === t.y)) continue;
      select(p.canvas).call(p.zoom.transform, zoomIdentity.translate(t.x, t.y).scale(t.k));
    }
  }

  fit(width) {
    const total = width || this.node.clientWidth;
    if (total < 40) return;
    const two = this.panes.length > 1 && total >= 620;
    this.node.classList.toggle("net-stacked", this.panes.length > 1 && !two);
    const w = Math.floor(two ? (total - 24) / 2 : total);
    this.panes.forEach((p) => p.size(w, p.wanted(w)));
  }

  refresh() {
    for (const b of this.modes.children) b.setAttribute("aria-pressed", String(b.dataset.mode === this.mode));
    this.treeButton?.setAttribute("aria-pressed", String(this.showTrees));
    this.roam.setAttribute("aria-pressed", String(this.roams));
    const stops = [0, 0.25, 0.5, 0.75, 1].map((v) => ramp(theme().heat, v)).join(",");
    this.legend.replaceChildren("0", el("span", { class: "ramp", style: `background:linear-gradient(90deg,${stops})` }), ...(this.mode === "waiting" ? [bytesText(this.most, this.units), el("span", { class: "middle" }, ` (middle: ${bytesText(this.most / 4, this.units)})`)] : ["100 %"]));
    this.panes.forEach((p) => p.draw());
  }

  /** The picture as a PNG; two panes side by side. */
  png() {
    const all = this.panes.map((p) => p.canvas), out = document.createElement("canvas"), gap = 24 * this.panes[0].painter.ratio;
    out.width = all.reduce((a, c) => a + c.width, gap * (all.length - 1));
    out.height = Math.max(...all.map((c) => c.height));
    const c = out.getContext("2d");
    c.fillStyle = theme().page;
    c.fillRect(0, 0, out.width, out.height);
    all.reduce((x, one) => { c.drawImage(one, x, 0); return x + one.width + gap; }, 0);
    return new Promise((resolve) => out.toBlob(resolve, "image/png"));
  }
}
