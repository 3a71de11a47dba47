// Paints one network on a canvas: links with a colour per direction, hosts as cells (left half: towards the
// host, right half: from it), switches, congestion trees over it, labels that neither collide nor are cut.
// What cannot be told apart at the present zoom is drawn together: hosts with their switch, switches as pods,
// groups or planes. Lines of one colour and width are one path, so tens of thousands stay fluid.
import { ramp, theme } from "../theme.js";

const CLASSES = 12; // of colour
const TREE_LIGHT = ["#c2185b", "#6a1b9a", "#00695c", "#0d47a1", "#9e4a00", "#4e342e", "#33691e", "#ad1457"];
const TREE_DARK = ["#ff5c9a", "#c792ff", "#4fd6c0", "#82b1ff", "#ffb060", "#d7b8a8", "#a5d66a", "#ff8ab5"];
const CLOSED = 3; // px between switches; below, clusters are drawn
const CELL = 1.7; // px; below, hosts are part of their switch

export const treeColour = (i) => (theme().dark ? TREE_DARK : TREE_LIGHT)[i % TREE_LIGHT.length];

/** What does not change with time or zoom. */
export function prepare(network, layout) {
  const { at, nodes, clusterOf, clusters } = layout;
  const trunk = [], up = new Int32Array(nodes.length).fill(-1), down = new Int32Array(nodes.length).fill(-1);
  network.ports.forEach((p, i) => {
    if (nodes[p.from].host) up[p.from] = i;
    else if (nodes[p.to].host) down[p.to] = i;
    else trunk.push(i);
  });
  const twins = new Map(); // parallel cables lie side by side
  const lane = new Uint8Array(network.ports.length);
  for (const i of trunk) {
    const p = network.ports[i], key = `${Math.min(p.from, p.to)}-${Math.max(p.from, p.to)}-${p.from < p.to}`;
    lane[i] = twins.get(key) || 0;
    twins.set(key, (twins.get(key) || 0) + 1);
  }
  const between = new Map(), inside = (clusters || []).map(() => []);
  if (clusters) network.ports.forEach((p, i) => {
    const a = clusterOf[p.from], b = clusterOf[p.to];
    if (a < 0 || b < 0) return;
    if (a === b) inside[a].push(i);
    else {
      const key = a * clusters.length + b;
      if (!between.has(key)) between.set(key, { a, b, ports: [] });
      between.get(key).ports.push(i);
    }
  });
  const portOf = network.ports.map((p) => [at[p.from], at[p.to]]);
  return { trunk, up, down, lane, between: [...between.values()], inside, portOf };
}

export class Painter {
  constructor(canvas, network, layout) {
    Object.assign(this, { canvas, network, layout, ready: prepare(network, layout), t: { k: 1, x: 0, y: 0 } });
    this.resize(300, 200);
  }

  resize(w, h) {
    const ratio = Math.min(3, window.devicePixelRatio || 1);
    Object.assign(this, { w, h, ratio });
    this.canvas.width = Math.round(w * ratio);
    this.canvas.height = Math.round(h * ratio);
    Object.assign(this.canvas.style, { width: `${w}px`, height: `${h}px` });
    const { box } = this.layout, pad = Math.min(26, w * 0.04), rings = Boolean(this.layout.clusters?.[0]?.arc);
    const bw = Math.max(1, box.right - box.left), bh = Math.max(1, box.bottom - box.top);
    // Room for what stands beside: names of groups around a ring, names of hosts below a tree.
    const side = rings && w > 500 ? 64 : pad, below = this.namesBelow(w, bw);
    this.s = Math.min((w - 2 * side) / bw, (h - 2 * pad - 16 - below) / bh);
    this.ox = w / 2 - (this.s * (box.left + box.right)) / 2;
    this.oy = (h + 6 - below) / 2 - (this.s * (box.top + box.bottom)) / 2;
  }

  /** Height of names of hosts that stand upright below a tree; 0 if they fit side by side, or could not be read anyway. */
  namesBelow(w, bw) {
    const { layout } = this, side = (layout.cellSide * (w - 40)) / bw;
    this.upright = false;
    if (layout.shape !== "tree" || layout.hostRows !== 1 || !(side >= 11)) return 0;
    const c = this.canvas.getContext("2d");
    c.font = `400 10px ${theme().font}`;
    const widest = layout.nodes.reduce((a, n) => (n.host ? Math.max(a, c.measureText(n.name).width) : a), 0);
    this.upright = widest > side - 4;
    return this.upright ? Math.min(90, widest) : 0;
  }

  x(v) { return (v * this.s + this.ox) * this.t.k + this.t.x; }
  y(v) { return (v * this.s + this.oy) * this.t.k + this.t.y; }
  scale() { return this.s * this.t.k; }
  closed() { return Boolean(this.layout.clusters) && this.layout.spacing * this.scale() < CLOSED; }
  cells() { return !this.closed() && this.layout.cellSide * this.scale() >= CELL; }

  /** 0 to 1. */
  value(i) {
    const f = this.frame;
    if (this.mode === "blocked") return f.blocked ? f.blocked[i] / 255 : 0;
    if (this.mode === "waiting") return Math.min(1, Math.sqrt(f.waiting[i] / this.most));
    return f.use[i] / 255;
  }

  /** view: { frame, trees, mode, most, only (tree or 0), chain: [ports], hover, dim } */
  paint(view) {
    Object.assign(this, view);
    const c = (this.c = this.canvas.getContext("2d"));
    c.setTransform(this.ratio, 0, 0, this.ratio, 0, 0);
    c.clearRect(0, 0, this.w, this.h);
    c.lineCap = "butt";
    this.labels = [];
    this.solid = []; // boxes that labels must not cover
    this.shown = (this.trees || []).filter((t) => !this.only || t.tree === this.only);
    this.faint = this.shown.length > 0 || (this.chain || []).length > 0 ? 0.3 : 1;
    if (this.closed()) this.paintClusters();
    else {
      this.paintWedges();
      this.paintTrunks();
      this.paintHosts();
      this.paintSwitches();
    }
    // Many branches must be thin to be seen at all.
    const members = this.shown.reduce((a, t) => a + t.members.length, 0);
    this.fat = Math.max(1.6, Math.max(3, Math.min(9, this.scale() * 7)) * Math.min(1, Math.sqrt(80 / (members + 1))));
    [...this.shown].sort((a, b) => b.members.length - a.members.length).forEach((t) => this.paintTree(t));
    [...this.shown].reverse().forEach((t) => this.paintRoot(t, treeColour(t.tree - 1)));
    this.paintChain();
    this.paintHover();
    this.paintLabels();
  }

  /** Do both ends, and for curves the middle of the drawing, lie beyond the same edge? */
  away(i) {
    const [a, b] = this.ready.portOf[i], { w, h } = this, pull = this.layout.curved;
    const x1 = this.x(a[0]), x2 = this.x(b[0]), mx = pull ? this.x((a[0] + b[0]) * 0.27) : this.layout.wrap ? (x1 + x2) / 2 : x1;
    if ((x1 < -70 && x2 < -70 && mx < -70) || (x1 > w + 70 && x2 > w + 70 && mx > w + 70)) return true;
    const y1 = this.y(a[1]), y2 = this.y(b[1]), my = pull ? this.y((a[1] + b[1]) * 0.27) : this.layout.wrap ? (y1 + y2) / 2 : y1;
    return (y1 < -70 && y2 < -70 && my < -70) || (y1 > h + 70 && y2 > h + 70 && my > h + 70);
  }

  /** The line of a port on the screen: ends, and a point that it bends towards. */
  line(i) {
    const [a, b] = this.ready.portOf[i], { layout } = this;
    let [x1, y1, x2, y2] = [this.x(a[0]), this.y(a[1]), this.x(b[0]), this.y(b[1])];
    const { from, to } = this.network.ports[i];
    // A line ends at the edge of a host's cell: its name is inside.
    const edge = (x, y, ox, oy, side) => { const s = Math.min(0.9, (side * this.scale()) / 2 / (Math.max(Math.abs(ox - x), Math.abs(oy - y)) || 1)); return [x + (ox - x) * s, y + (oy - y) * s]; };
    if (layout.nodes[from].host) [x1, y1] = edge(x1, y1, x2, y2, a[2]);
    if (layout.nodes[to].host) [x2, y2] = edge(x2, y2, x1, y1, b[2]);
    const dx = x2 - x1, dy = y2 - y1, length = Math.hypot(dx, dy) || 1;
    // Directions keep to their right; further cables of a pair lie further out.
    const side = Math.min(4, Math.max(0.7, this.scale() * 2.2)) * (0.5 + this.ready.lane[i]), nx = (-dy / length) * side, ny = (dx / length) * side;
    x1 += nx; x2 += nx; y1 += ny; y2 += ny;
    const p = this.network.ports[i];
    let bend = null;
    if (layout.wrap?.(p.from, p.to)) bend = [(x1 + x2) / 2 + (-dy / length) * Math.min(60, length * 0.16), (y1 + y2) / 2 + (dx / length) * Math.min(60, length * 0.16)];
    else if (layout.curved && !layout.nodes[p.from].host && !layout.nodes[p.to].host) {
      const pull = layout.shape === "groups" && layout.clusterOf[p.from] === layout.clusterOf[p.to] ? 0.06 : 0.45;
      bend = [this.x(((a[0] + b[0]) / 2) * (1 - pull)), this.y(((a[1] + b[1]) / 2) * (1 - pull))];
    }
    return [x1, y1, x2, y2, bend];
  }

  trace(c, [x1, y1, x2, y2, bend]) {
    c.moveTo(x1, y1);
    if (bend) c.quadraticCurveTo(bend[0], bend[1], x2, y2);
    else c.lineTo(x2, y2);
  }

  /** Ports by class of colour; the strong ones come last and lie on top. */
  sorted(ports) {
    const classes = Array.from({ length: CLASSES }, () => []);
    for (const i of ports) classes[Math.min(CLASSES - 1, Math.floor(this.value(i) * CLASSES))].push(i);
    return classes;
  }

  paintTrunks() {
    const { c } = this, n = this.ready.trunk.length, faint = n > 3000 ? 0.3 : n > 400 ? 0.5 : 0.7;
    const thin = Math.max(0.5, Math.min(1.4, this.scale() * 1.1)), thick = Math.max(1.4, Math.min(6, this.scale() * 4));
    const classes = this.sorted(this.ready.trunk);
    classes.forEach((ports, q) => {
      if (ports.length === 0) return;
      const share = q / (CLASSES - 1);
      c.beginPath();
      for (const i of ports) {
        if (this.away(i)) continue;
        this.trace(c, this.line(i));
      }
      c.strokeStyle = ramp(theme().heat, share);
      c.lineWidth = thin + (thick - thin) * share;
      c.globalAlpha = (faint + (1 - faint) * share) * this.faint;
      c.stroke();
    });
    c.globalAlpha = 1;
  }

  paintHosts() {
    if (!this.cells()) return;
    const { c, layout } = this, k = this.scale(), few = layout.shape !== "tree" || layout.cellSide * k > 14;
    const classes = Array.from({ length: CLASSES }, () => []), edges = [];
    layout.nodes.forEach((n, h) => {
      if (!n.host) return;
      const [x, y, side] = layout.at[h], px = this.x(x), py = this.y(y), s = Math.max(1, side * k);
      if (px < -s || px > this.w + s || py < -s || py > this.h + s) return;
      const half = s / 2, parts = [[this.ready.down[h], px - half], [this.ready.up[h], px]];
      for (const [port, left] of parts) if (port >= 0) classes[Math.min(CLASSES - 1, Math.floor(this.value(port) * CLASSES))].push([left, py - half, half, s]);
      edges.push([px - half, py - half, s]);
      if (few && s > 12 && layout.leafOf[h] >= 0) {
        const l = layout.at[layout.leafOf[h]];
        c.strokeStyle = theme().line;
        c.lineWidth = 1;
        c.beginPath();
        c.moveTo(px, py - half);
        c.lineTo(this.x(l[0]), this.y(l[1]));
        c.stroke();
      }
      this.solid.push([px - half, py - half, px + half, py + half]);
      if (s > 9) this.labels.push({ text: n.name, x: px, y: py, half, ways: this.upright ? "u" : s > 26 ? "isewn" : layout.shape === "tree" ? "s" : "sewn", weight: 1, size: 10 });
    });
    c.globalAlpha = Math.max(0.45, this.faint);
    classes.forEach((list, q) => {
      c.fillStyle = ramp(theme().heat, q / (CLASSES - 1));
      for (const [left, top, w, h] of list) c.fillRect(left, top, w, h);
    });
    c.globalAlpha = 1;
    if (layout.cellSide * k > 6) {
      c.strokeStyle = theme().page;
      c.lineWidth = 1;
      for (const [left, top, s] of edges) c.strokeRect(left, top, s, s);
    }
  }

  paintSwitches() {
    const { c, layout } = this, k = this.scale(), t = theme();
    c.fillStyle = t.dark ? "#c6ced8" : "#38424d";
    for (const s of layout.switches) {
      const [x, y, side] = layout.at[s], px = this.x(x), py = this.y(y), size = Math.max(2.5, Math.min(26, side * k));
      if (px < -40 || px > this.w + 40 || py < -40 || py > this.h + 40) continue;
      c.globalAlpha = Math.max(0.55, this.faint);
      c.beginPath();
      c.roundRect(px - size / 2, py - Math.min(size, 14) / 2, size, Math.min(size, 14), 2);
      c.fill();
      const high = Math.min(size, 14) / 2;
      this.solid.push([px - size / 2, py - high, px + size / 2, py + high]);
      if (layout.spacing * k > 11) this.labels.push({ text: layout.nodes[s].name, x: px, y: py, half: high, wide: size / 2, ways: layout.shape === "tree" && layout.tier?.[s] === 1 && layout.top > 1 ? "ewns" : "nesw", weight: 3, size: 11 });
    }
    c.globalAlpha = 1;
  }

  /** Groups that are open keep their place. */
  paintWedges() {
    if (!this.layout.clusters?.[0]?.arc) return;
    const { c } = this, [ox, oy, k] = [this.x(0), this.y(0), this.scale()];
    c.fillStyle = theme().dark ? "#1d232a" : "#f3f5f7";
    for (const cl of this.layout.clusters) {
      c.beginPath();
      c.arc(ox, oy, cl.arc.outer * k, cl.arc.from - Math.PI / 2, cl.arc.to - Math.PI / 2);
      c.arc(ox, oy, cl.arc.inner * k, cl.arc.to - Math.PI / 2, cl.arc.from - Math.PI / 2, true);
      c.fill();
      this.wedgeLabel(cl);
    }
  }

  wedgeLabel(cl) {
    const m = (cl.arc.from + cl.arc.to) / 2, r = cl.arc.outer * this.scale(), wide = (cl.arc.to - cl.arc.from) * r;
    // Beside its wedge, outwards; a number alone where names would not fit beside each other.
    this.labels.push({ text: wide < 60 && !/ 0$/.test(cl.name) ? cl.name.replace(/^group /, "") : cl.name, x: this.x(0), y: this.y(0), radius: r + 5, turn: m, half: 0, ways: "r", weight: 4, size: 10 });
  }

  paintClusters() {
    const { c, layout, ready } = this, t = theme();
    const strongest = (ports) => ports.reduce((m, i) => Math.max(m, this.value(i)), 0);
    const classes = Array.from({ length: CLASSES }, () => []);
    for (const e of ready.between) classes[Math.min(CLASSES - 1, Math.floor(strongest(e.ports) * CLASSES))].push(e);
    const many = ready.between.length > 2000;
    classes.forEach((list, q) => {
      const share = q / (CLASSES - 1);
      c.beginPath();
      for (const e of list) {
        const [a, b] = [layout.clusters[e.a].middle, layout.clusters[e.b].middle];
        const pull = layout.curved ? 0.55 : 0;
        this.trace(c, [this.x(a[0]), this.y(a[1]), this.x(b[0]), this.y(b[1]), [this.x(((a[0] + b[0]) / 2) * (1 - pull)), this.y(((a[1] + b[1]) / 2) * (1 - pull))]]);
      }
      c.strokeStyle = ramp(t.heat, share);
      c.lineWidth = 0.5 + 1.6 * share;
      c.globalAlpha = (many ? 0.05 + 0.8 * share * share : 0.35 + 0.6 * share) * this.faint;
      c.stroke();
    });
    layout.clusters.forEach((cl, i) => {
      c.globalAlpha = Math.max(0.6, this.faint);
      c.fillStyle = ramp(t.heat, strongest(ready.inside[i]));
      c.beginPath();
      if (cl.arc) {
        const [ox, oy, k] = [this.x(0), this.y(0), this.scale()];
        c.arc(ox, oy, cl.arc.outer * k, cl.arc.from - Math.PI / 2, cl.arc.to - Math.PI / 2);
        c.arc(ox, oy, cl.arc.inner * k, cl.arc.to - Math.PI / 2, cl.arc.from - Math.PI / 2, true);
        c.closePath();
        this.wedgeLabel(cl);
      } else {
        c.roundRect(this.x(cl.box.left), this.y(cl.box.top), (cl.box.right - cl.box.left) * this.scale(), Math.max(4, (cl.box.bottom - cl.box.top) * this.scale()), 2);
        this.labels.push({ text: cl.name, x: this.x(cl.middle[0]), y: this.y(cl.box.top), half: 1, wide: 1, ways: "n", weight: 2, size: 10 });
      }
      c.fill();
      c.globalAlpha = 1;
    });
  }

  // -- trees --

  /** Where a port begins and ends when clusters are closed. */
  treeLine(i) {
    if (!this.closed()) {
      const p = this.network.ports[i], host = this.layout.nodes[p.from].host || this.layout.nodes[p.to].host;
      if (host && !this.cells()) return null;
      return this.line(i);
    }
    const p = this.network.ports[i], [a, b] = [this.layout.clusterOf[p.from], this.layout.clusterOf[p.to]];
    if (a === b || a < 0 || b < 0) return null;
    const [m, n] = [this.layout.clusters[a].middle, this.layout.clusters[b].middle], pull = this.layout.curved ? 0.55 : 0;
    return [this.x(m[0]), this.y(m[1]), this.x(n[0]), this.y(n[1]), [this.x(((m[0] + n[0]) / 2) * (1 - pull)), this.y(((m[1] + n[1]) / 2) * (1 - pull))]];
  }

  paintTree(t) {
    const { c } = this, colour = treeColour(t.tree - 1);
    const most = Math.max(1, ...t.members.map((m) => m.bytes));
    const hosts = new Set(t.contributors || []), victims = new Set();
    for (let i = 0; t.victims && i < t.victims.length; i += 2) if (!hosts.has(t.victims[i])) victims.add(t.victims[i]);
    const solid = [], dashed = [];
    for (const m of t.members) {
      const from = this.network.ports[m.port]?.from;
      if (from === undefined) continue;
      const node = this.layout.nodes[from];
      (node.host && !hosts.has(this.hostNumber(from)) ? dashed : solid).push(m);
    }
    c.strokeStyle = colour;
    const { fat } = this, thin = Math.min(1.2, fat * 0.5);
    for (const [list, dash] of [[dashed, [4, 3]], [solid, []]]) {
      c.setLineDash(dash);
      for (const m of [...list].sort((a, b) => a.bytes - b.bytes)) {
        const l = this.treeLine(m.port);
        if (!l) continue;
        c.lineWidth = dash.length ? thin : thin + (fat - thin) * Math.sqrt(m.bytes / most);
        c.globalAlpha = dash.length ? 0.75 : fat < 2.5 ? 0.6 : 0.92;
        c.beginPath();
        this.trace(c, l);
        c.stroke();
      }
    }
    c.setLineDash([]);
    c.globalAlpha = 1;
    this.paintParts(hosts, victims, colour);
  }

  hostNumber(node) {
    if (!this.numbers) {
      this.numbers = new Map();
      this.hostNodes = [];
      this.network.nodes.forEach((n, i) => { if (n.host) { this.numbers.set(i, n.number ?? this.hostNodes.length); this.hostNodes[n.number ?? this.hostNodes.length] = i; } });
    }
    return this.numbers.get(node);
  }

  hostNode(number) {
    this.hostNumber(-1);
    return this.hostNodes[number];
  }

  /** Contributors have a full frame, victims a dashed one. */
  paintParts(hosts, victims, colour) {
    if (!this.cells()) return;
    const { c } = this;
    c.strokeStyle = colour;
    for (const [set, dash] of [[hosts, []], [victims, [2, 2]]]) {
      c.setLineDash(dash);
      c.lineWidth = this.layout.cellSide * this.scale() > 7 ? 1.6 : 0.9;
      c.beginPath();
      for (const number of set) {
        const at = this.layout.at[this.hostNode(number)];
        if (!at) continue;
        const s = at[2] * this.scale();
        c.rect(this.x(at[0]) - s / 2, this.y(at[1]) - s / 2, s, s);
      }
      c.stroke();
    }
    c.setLineDash([]);
  }

  /** A root that faces a host stands there; any other one at its port, where its link begins. */
  rootAt(i) {
    const { layout } = this, p = this.network.ports[i], place = ([x, y]) => [this.x(x), this.y(y)];
    if (this.closed()) return place(layout.clusters[layout.clusterOf[p.from]]?.middle ?? layout.at[p.from]);
    if (layout.nodes[p.to].host) return place(layout.at[this.cells() ? p.to : p.from]);
    const [x1, y1, x2, y2, bend] = this.line(i), [bx, by] = bend ?? [(x1 + x2) / 2, (y1 + y2) / 2];
    const long = Math.hypot(bx - x1, by - y1) * 2, s = Math.min(0.4, 15 / (long || 1));
    return [(1 - s) ** 2 * x1 + 2 * s * (1 - s) * bx + s * s * x2, (1 - s) ** 2 * y1 + 2 * s * (1 - s) * by + s * s * y2];
  }

  paintRoot(t, colour) {
    const root = t.members[0] && this.network.ports[t.members[0].port];
    if (!root) return;
    const { c } = this, info = (this.treeInfo || []).find((x) => x.tree === t.tree);
    const [px, py] = this.rootAt(t.members[0].port);
    c.fillStyle = colour;
    c.strokeStyle = theme().page;
    c.lineWidth = 2;
    c.beginPath();
    c.arc(px, py, 8, 0, 7);
    c.fill();
    c.stroke();
    c.fillStyle = theme().page;
    c.font = `700 ${t.tree > 99 ? 7 : 10}px ${theme().font}`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(String(t.tree), px, py + 0.5);
    this.solid.push([px - 9, py - 9, px + 9, py + 9]);
    // The number is in the dot, and the list below names all; in the picture stand the names for which there is room.
    if (this.shown.length <= 12) this.labels.push({ text: `${info?.root || root.name} → ${info?.root_to || root.toName}`, x: px, y: py, half: 9, wide: 9, ways: this.layout.nodes[root.to].host ? "senwSENW" : "ewsnEWSN", weight: 9 - t.tree / 1000, size: 12, bold: true, colour, clear: true });
  }

  paintChain() {
    if (!this.chain?.length) return;
    const { c } = this, t = theme();
    for (const [width, style] of [[7, t.page], [3.5, t.dark ? "#ffe08a" : "#111111"]]) {
      c.strokeStyle = style;
      c.lineWidth = width;
      c.lineCap = "round";
      for (const i of this.chain) {
        const l = this.treeLine(i);
        if (!l) continue;
        c.beginPath();
        this.trace(c, l);
        c.stroke();
      }
    }
    c.lineCap = "butt";
    for (const i of this.chain) {
      const p = this.network.ports[i], at = this.layout.at[p.from];
      this.labels.push({ text: p.name, x: this.x(at[0]), y: this.y(at[1]), half: 8, wide: 8, ways: "nesw", weight: 8, size: 11, bold: true });
    }
  }

  paintHover() {
    const h = this.hover;
    if (!h) return;
    const { c } = this;
    c.strokeStyle = theme().text;
    c.lineWidth = 2;
    c.beginPath();
    if (h.port !== undefined) {
      const l = this.treeLine(h.port);
      if (l) this.trace(c, l);
    } else if (h.node !== undefined) {
      const [x, y, side] = this.layout.at[h.node], s = Math.max(6, side * this.scale()) + 2;
      c.rect(this.x(x) - s / 2, this.y(y) - s / 2, s, s);
    }
    c.stroke();
  }

  /** Heavy labels first; each whole, inside the picture and clear of the others, or not at all. */
  paintLabels() {
    const { c } = this, t = theme(), taken = [], CELLS = 48, grid = new Map();
    const hits = (box) => {
      for (let gx = Math.floor(box[0] / CELLS); gx <= Math.floor(box[2] / CELLS); gx++)
        for (let gy = Math.floor(box[1] / CELLS); gy <= Math.floor(box[3] / CELLS); gy++)
          for (const o of grid.get(gx * 4096 + gy) || []) if (box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]) return true;
      return false;
    };
    const put = (box) => {
      for (let gx = Math.floor(box[0] / CELLS); gx <= Math.floor(box[2] / CELLS); gx++)
        for (let gy = Math.floor(box[1] / CELLS); gy <= Math.floor(box[3] / CELLS); gy++) {
          const key = gx * 4096 + gy;
          if (grid.has(key)) grid.get(key).push(box);
          else grid.set(key, [box]);
        }
      taken.push(box);
    };
    this.solid.forEach(put);
    taken.length = 0;
    c.textAlign = "center";
    c.textBaseline = "alphabetic";
    c.lineJoin = "round";
    for (const l of this.labels.sort((a, b) => b.weight - a.weight)) {
      c.font = `${l.bold ? 600 : 400} ${l.size}px ${t.font}`;
      const w = c.measureText(l.text).width, strong = l.weight >= 8;
      for (const way of l.ways) {
        if (way === "i" && w > 2 * l.half - 4) continue;
        const { x, y, box } = this.labelAt(l, way, w, strong);
        // A label in its own cell, and one that must be read, may lie over what is drawn.
        if (box[0] < 0 || box[2] > this.w || box[1] < 0 || box[3] > this.h) continue;
        if (way === "i" ? false : strong && !l.clear ? taken.some((o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]) : hits(box)) continue;
        put(box);
        this.write(l, way, x, y, strong);
        break;
      }
    }
    c.lineJoin = "miter";
    this.taken = taken;
  }

  /** Where a label of width w stands: n, e, s, w of its place, capitals further away; i inside, u upright below, r outwards from a centre. */
  labelAt(l, way, w, strong) {
    const wide = l.wide ?? l.half, to = way.toLowerCase(), far = way === to ? 0 : 16;
    if (way === "u") return { x: l.x + l.size * 0.36, y: l.y + l.half + 4, box: [l.x - l.size * 0.5, l.y + l.half + 2, l.x + l.size * 0.5, l.y + l.half + 6 + w] };
    let x = l.x + { e: wide + w / 2 + 4 + far, w: -wide - w / 2 - 4 - far }[to] || l.x;
    let y = l.y + ({ n: -l.half - 4 - far, s: l.half + l.size + 1 + far }[to] ?? l.size * 0.36);
    if (way === "r") {
      const [sin, cos] = [Math.sin(l.turn), Math.cos(l.turn)], out = l.radius + Math.abs(sin) * (w / 2) + Math.abs(cos) * l.size * 0.6;
      [x, y] = [l.x + out * sin, l.y - out * cos + l.size * 0.36];
    }
    if (strong) x = Math.min(this.w - w / 2 - 4, Math.max(w / 2 + 4, x));
    return { x, y, box: [x - w / 2 - 2, y - l.size * 0.85, x + w / 2 + 2, y + l.size * 0.25] };
  }

  /** The text, with a rim in the colour of the page, so that lines do not strike it through. */
  write(l, way, x, y, strong) {
    const { c } = this, t = theme();
    c.save();
    if (way === "u") {
      c.translate(x, y);
      c.rotate(-Math.PI / 2);
      c.textAlign = "right";
      [x, y] = [0, 0];
    }
    if (way !== "i") {
      c.strokeStyle = t.page;
      c.lineWidth = strong ? 5 : 3.5;
      c.strokeText(l.text, x, y);
    }
    c.fillStyle = l.colour || (strong ? t.text : t.quiet);
    c.fillText(l.text, x, y);
    c.restore();
  }

  // -- what is under the pointer --

  find(mx, my) {
    const { layout } = this, k = this.scale();
    if (this.closed()) {
      for (let i = 0; i < layout.clusters.length; i++) {
        const cl = layout.clusters[i];
        if (cl.arc) {
          const dx = (mx - this.x(0)) / k, dy = (my - this.y(0)) / k, r = Math.hypot(dx, dy), a = (Math.atan2(dx, -dy) + 2 * Math.PI) % (2 * Math.PI);
          if (r >= cl.arc.inner && r <= cl.arc.outer && a >= cl.arc.from && a <= cl.arc.to) return { cluster: i };
        } else if (mx >= this.x(cl.box.left) - 2 && mx <= this.x(cl.box.right) + 2 && my >= this.y(cl.box.top) - 2 && my <= this.y(cl.box.bottom) + 2) return { cluster: i };
      }
      return null;
    }
    const wx = (mx - this.t.x) / this.t.k, wy = (my - this.t.y) / this.t.k;
    const node = this.tree.find((wx - this.ox) / this.s, (wy - this.oy) / this.s, 14 / k);
    if (node !== undefined) {
      const [x, y, side] = layout.at[node], reach = Math.max(5, (side * k) / 2 + 1);
      if (Math.abs(this.x(x) - mx) <= reach && Math.abs(this.y(y) - my) <= reach && (!layout.nodes[node].host || this.cells())) return { node };
    }
    let best = null, near = 5;
    for (const i of this.ready.trunk) {
      if (this.away(i)) continue;
      const d = this.distance(this.line(i), mx, my);
      if (d < near) { near = d; best = i; }
    }
    return best === null ? null : { port: best };
  }

  distance([x1, y1, x2, y2, bend], mx, my) {
    const one = (ax, ay, bx, by) => {
      const dx = bx - ax, dy = by - ay, t = Math.max(0, Math.min(1, ((mx - ax) * dx + (my - ay) * dy) / (dx * dx + dy * dy || 1)));
      return Math.hypot(ax + t * dx - mx, ay + t * dy - my);
    };
    if (!bend) return one(x1, y1, x2, y2);
    let d = Infinity, px = x1, py = y1;
    for (let s = 1; s <= 10; s++) {
      const t = s / 10, qx = (1 - t) ** 2 * x1 + 2 * t * (1 - t) * bend[0] + t * t * x2, qy = (1 - t) ** 2 * y1 + 2 * t * (1 - t) * bend[1] + t * t * y2;
      d = Math.min(d, one(px, py, qx, qy));
      [px, py] = [qx, qy];
    }
    return d;
  }
}
