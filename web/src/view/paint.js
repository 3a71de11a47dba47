// Paints one network on a canvas: links with a colour per direction, hosts as cells (left half: towards the
// host, right half: from it), switches, congestion trees over it, labels that neither collide nor are cut.
// What cannot be told apart at the present zoom is drawn together: hosts with their switch, switches as pods,
// groups or planes. Lines of one colour and width are one path, so tens of thousands stay fluid.
import { ramp, theme } from "../theme.js";
import { Geometry } from "./geometry.js";
import { paintLabels } from "./names.js";
import { paintChain, paintRoot, paintTree, trace, treeColour } from "./trees.js";

const CLASSES = 12; // of colour
const NUMBERED = 24; // trees whose roots have numbers; those of smaller ones are dots

export class Painter extends Geometry {
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
    this.strokes = []; // lines that stand out: labels should not lie on them
    this.shown = (this.trees || []).filter((t) => !this.only || t.tree === this.only);
    this.faint = this.shown.length > 0 || (this.chain || []).length > 0 ? 0.45 : 1;
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
    [...this.shown].sort((a, b) => b.members.length - a.members.length).forEach((t) => paintTree(this, t));
    const heavy = new Set([...this.shown].sort((a, b) => b.members.length - a.members.length).slice(0, NUMBERED));
    [...this.shown].reverse().forEach((t) => paintRoot(this, t, treeColour(t.tree - 1), heavy.has(t)));
    paintChain(this);
    this.paintHover();
    paintLabels(this);
  }

  /** Ports by class of colour; the strong ones come last and lie on top. */
  sorted(ports) {
    const classes = Array.from({ length: CLASSES }, () => []);
    for (const i of ports) classes[Math.min(CLASSES - 1, Math.floor(this.value(i) * CLASSES))].push(i);
    return classes;
  }

  paintTrunks() {
    const { c } = this, n = this.ready.trunk.length, faint = n > 6000 ? 0.3 : n > 400 ? 0.5 : 0.7;
    const thin = Math.max(0.5, Math.min(1.4, this.scale() * 1.1)), thick = Math.max(1.4, Math.min(6, this.scale() * 4));
    const classes = this.sorted(this.ready.trunk);
    classes.forEach((ports, q) => {
      if (ports.length === 0) return;
      const share = q / (CLASSES - 1);
      c.beginPath();
      for (const i of ports) {
        if (this.away(i)) continue;
        const l = this.line(i);
        if (share > 0.3) this.strokes.push(l);
        trace(c, l);
      }
      c.strokeStyle = ramp(theme().heat, share);
      c.lineWidth = thin + (thick - thin) * share;
      c.globalAlpha = (faint + (1 - faint) * share) * (n > 400 ? this.faint : Math.sqrt(this.faint));
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
      // Below a block of several rows the names of its last row alone would tell nothing.
      if (s > (layout.shape === "tree" && layout.hostRows > 1 ? 26 : 9)) this.labels.push({ text: n.name, x: px, y: py, half, ways: this.upright ? "u" : s > 26 ? "isewn" : layout.shape === "tree" ? "s" : "sewn", weight: 1, size: 10 });
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
      const block = layout.hostRows > 1 && layout.top > 1 && layout.hostsOf[s].length ? layout.hostsOf[s].map((h) => layout.at[h]) : null;
      // Cables meet above a leaf: its name stands below the block of its hosts.
      if (block && layout.spacing * k > 11) this.labels.push({ text: layout.nodes[s].name, x: px, y: Math.max(...block.map((b) => this.y(b[1]) + (b[2] * k) / 2)), half: 0, ways: "s", weight: 3, size: 11 });
      else if (layout.spacing * k > 11) this.labels.push({ text: layout.nodes[s].name, x: px, y: py, half: high, wide: size / 2, ways: layout.shape === "tree" && layout.tier?.[s] === 1 && layout.top > 1 ? "ewns" : "nesw", weight: 3, size: 11 });
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
        trace(c, [this.x(a[0]), this.y(a[1]), this.x(b[0]), this.y(b[1]), [this.x(((a[0] + b[0]) / 2) * (1 - pull)), this.y(((a[1] + b[1]) / 2) * (1 - pull))]]);
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

  paintHover() {
    const h = this.hover;
    if (!h) return;
    const { c } = this;
    c.strokeStyle = theme().text;
    c.lineWidth = 2;
    c.beginPath();
    if (h.port !== undefined) {
      const l = this.treeLine(h.port);
      if (l) trace(c, l);
    } else if (h.node !== undefined) {
      const [x, y, side] = this.layout.at[h.node], s = Math.max(6, side * this.scale()) + 2;
      c.rect(this.x(x) - s / 2, this.y(y) - s / 2, s, s);
    }
    c.stroke();
  }
}
