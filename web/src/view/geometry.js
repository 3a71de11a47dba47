// Where the parts of a network are on the screen at the present zoom: places, lines of ports, what is too small
// to be told apart, and what is under the pointer. Draws nothing.
import { theme } from "../theme.js";

const CLOSED = 3; // px between switches; below, clusters are drawn
const CELL = 1.7; // px; below, hosts are part of their switch

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

export class Geometry {
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

  /** A root that faces a host stands there; any other one at its port, where its link begins. */
  rootAt(i) {
    const { layout } = this, p = this.network.ports[i], place = ([x, y]) => [this.x(x), this.y(y)];
    if (this.closed()) return place(layout.clusters[layout.clusterOf[p.from]]?.middle ?? layout.at[p.from]);
    if (layout.nodes[p.to].host) return place(layout.at[this.cells() ? p.to : p.from]);
    const [x1, y1, x2, y2, bend] = this.line(i), [bx, by] = bend ?? [(x1 + x2) / 2, (y1 + y2) / 2];
    const long = Math.hypot(bx - x1, by - y1) * 2, s = Math.min(0.4, 15 / (long || 1));
    return [(1 - s) ** 2 * x1 + 2 * s * (1 - s) * bx + s * s * x2, (1 - s) ** 2 * y1 + 2 * s * (1 - s) * by + s * s * y2];
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
