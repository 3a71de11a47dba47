// One network of a viewer: its canvas, what the pointer and the keyboard do there, the list of its trees. A click on a
// victim lights the chain of ports that blocks it.
import { quadtree } from "d3-quadtree";
import { select } from "d3-selection";
import { zoom, zoomIdentity } from "d3-zoom";
import { bytesText, timeText, timeUnit } from "../amounts.js";
import { el, fmt } from "../dom.js";
import { layOut } from "./layout.js";
import { Painter } from "./paint.js";
import { treeColour } from "./trees.js";

const NONE = 0xffffffff;
/** How high a picture of a report may be: numbers above it, and all of it, are to be seen at once. In low windows the numbers
 *  stand below (page.css). */
export const roomFor = (height) => Math.max(380, Math.min(720, height - (height > 820 ? 420 : 320)));

const percent = (v) => `${fmt(v * 100, 3)} %`;

/** Bytes that stand in trees; a port may be in several. */
export function heldBy(trees) {
  const ports = new Map(trees.flatMap((t) => t.members.map((m) => [m.port, m.bytes])));
  return [...ports.values()].reduce((a, b) => a + b, 0);
}

/** last: ms of the last frame; a tree that was there then has no known end. */
export function treeText(t, last, units) {
  const [by, unit] = timeUnit(last, units), at = (ns) => fmt((ns / 1e6) * by, unit === "cycles" ? 6 : 3), many = (n, word) => `${fmt(n)} ${word}${n === 1 ? "" : "s"}`;
  return [`root ${t.root} → ${t.root_to}`, t.end_ns / 1e6 >= last - 1e-9 ? `since ${at(t.begin_ns)}, still there at ${at(t.end_ns)} ${unit}` : `${at(t.begin_ns)} to ${at(t.end_ns)} ${unit}`, many(t.links, "link"), ...(typeof t.contributors === "number"
    ? [many(t.contributors, "contributor"), t.victims === 0 ? "no victims" : `${many(t.victims, "victim flow")}${typeof t.loss === "number" ? ` ${t.victims === 1 ? "loses" : "lose"} ${fmt(t.loss * 100, 2)} %` : ""}`]
    : ["contributors and victims not counted"]), t.kind === "unjudged" ? `seen at ${many(t.samples, "sample")}: too few to judge (4; run.tree_sample)` : t.kind].filter(Boolean).join(", ");
}

export class Pane {
  constructor(viewer, source, title) {
    Object.assign(this, { viewer, source, at: 0, frame: source.mean ?? null, trees: [], only: 0, chain: [], hover: null, flows: new Map() });
    this.layout = layOut(source.network, viewer.aspect);
    this.canvas = el("canvas", { class: "net-canvas", role: "img", tabindex: "0", "aria-label": `Network: ${title}. ${source.network.nodes.length} nodes. The data is available as CSV.` });
    this.tip = el("div", { class: "net-tip", hidden: true });
    this.head = el("div", { class: "net-head" }, el("strong", {}, title), this.words = el("span", { class: "net-words" }));
    this.list = el("div", { class: "net-trees", role: "group", "aria-label": "Congestion trees" });
    this.told = el("p", { class: "net-told", role: "status" });
    this.box = el("div", { class: "net-box" }, this.canvas, this.tip);
    this.node = el("div", { class: "net-pane" }, title ? this.head : null, this.box, this.list, this.told);
    this.painter = new Painter(this.canvas, source.network, this.layout);
    this.painter.tree = quadtree(this.layout.nodes.map((_, i) => i), (i) => this.layout.at[i][0], (i) => this.layout.at[i][1]);
    this.zoom = zoom().scaleExtent([0.8, 400]).filter((e) => (e.type === "wheel" ? e.ctrlKey || viewer.roams : !e.button))
      .on("zoom", (e) => { this.painter.t = e.transform; this.draw(); if (e.sourceEvent) viewer.follow(this, e.transform); });
    select(this.canvas).call(this.zoom).on("dblclick.zoom", null);
    this.canvas.addEventListener("pointermove", (e) => this.point(e));
    this.canvas.addEventListener("pointerleave", () => { this.hover = null; this.tip.hidden = true; this.draw(); });
    this.canvas.addEventListener("click", (e) => this.click(e));
    this.canvas.addEventListener("keydown", (e) => this.key(e));
    this.listTrees();
  }

  /** Buttons stay the same elements while their texts change: a click must find what it began on. */
  listTrees() {
    const n = this.source.trees.length, few = this.all ? n : Math.min(n, 3);
    this.buttons ??= [];
    while (this.buttons.length < few) {
      const i = this.buttons.length, patch = el("span", { class: "patch" }), text = el("span", {});
      const node = el("button", { type: "button", class: "key net-tree", title: "Show this tree alone", onclick: () => {
        const { tree } = this.source.trees[i];
        this.only = this.only === tree ? 0 : tree;
        this.listTrees();
        this.draw();
      } }, patch, text);
      this.buttons.push({ node, patch, text });
    }
    this.more ??= el("button", { type: "button", class: "key net-more", onclick: () => { this.all = true; this.listTrees(); } });
    if (this.list.children.length !== few + (n > few)) this.list.replaceChildren(...this.buttons.slice(0, few).map((b) => b.node), ...(n > few ? [this.more] : []));
    const put = (node, words) => { if (node.textContent !== words) node.textContent = words; };
    this.source.trees.slice(0, few).forEach((t, i) => {
      const b = this.buttons[i];
      put(b.text, `tree ${t.tree}: ${treeText(t, this.source.times[this.source.times.length - 1], this.source.units)}`);
      b.patch.style.background = treeColour(t.tree - 1);
      b.node.setAttribute("aria-pressed", String(!this.only || this.only === t.tree));
    });
    put(this.more, `and ${n - few} more trees`);
    this.list.hidden = n === 0;
  }

  size(width, height) {
    if (this.width === width && this.height === height) return;
    Object.assign(this, { width, height });
    this.painter.resize(width, height);
    this.zoom.extent([[0, 0], [width, height]]).translateExtent([[-width * 0.5, -height * 0.5], [width * 1.5, height * 1.5]]);
    this.draw();
  }

  wanted(width) {
    const { box } = this.layout, ratio = (box.bottom - box.top) / Math.max(1, box.right - box.left);
    // Alone on its page it fits into the window, with the list of trees below it just beginning.
    const most = this.source.live ? Math.max(320, window.innerHeight - this.box.getBoundingClientRect().top - window.scrollY - 56) : roomFor(window.innerHeight);
    return Math.round(Math.max(150, Math.min(width * 1.05, most, width * ratio + 50 + this.painter.namesBelow(width, box.right - box.left))));
  }

  async show(i) {
    this.at = i;
    const [frame, trees] = await Promise.all([this.source.frame(i), this.source.treesAt(i)]);
    if (this.at !== i) return;
    // Contributors and victims are not looked up at every sample.
    for (const t of trees) {
      const old = this.trees.find((o) => o.tree === t.tree);
      t.contributors ??= old?.contributors ?? null;
      t.victims ??= old?.victims ?? null;
    }
    Object.assign(this, { frame, trees });
    this.noteFlows(this.source.times[i] ?? 0);
    this.viewer.onshow?.();
    if (this.chosen !== undefined) this.choose(this.chosen);
    this.draw();
  }

  /** Flows are not looked for at every sample and port: what was seen last is kept, with its time. */
  noteFlows(now) {
    for (const [port, f] of this.flows) if (f.at > now) this.flows.delete(port);
    const w = this.frame.flow ?? [];
    for (let k = 0; k + 2 < w.length; k += 3 + 3 * w[k + 2]) {
      const named = [];
      for (let j = k + 3; j < k + 3 + 3 * w[k + 2] && j + 2 < w.length; j += 3) named.push({ src: w[j], dst: w[j + 1], bytes: w[j + 2] });
      this.flows.set(w[k], { at: now, flows: w[k + 1], named });
    }
  }

  draw() {
    if (!this.frame || !this.width) return;
    const { viewer } = this;
    const shown = viewer.showTrees ? this.trees : [];
    this.painter.paint({ frame: this.frame, trees: shown, treeInfo: this.source.trees, mode: viewer.mode, most: viewer.most, only: this.only, chain: this.chain, hover: this.hover });
    this.canvas.dataset.painted = String((Number(this.canvas.dataset.painted) || 0) + 1);
    const held = heldBy(this.trees);
    this.words.textContent = this.source.trees.length === 0 ? "" : this.trees.length ? `${this.trees.length} tree${this.trees.length > 1 ? "s" : ""}, ${fmt(this.trees.reduce((a, t) => a + t.members.length, 0))} links, ${bytesText(held, this.source.units)} held` : "no tree";
  }

  // -- pointing and choosing --

  portRows(i) {
    const p = this.source.network.ports[i], f = this.frame;
    const rows = [[`${p.name} → ${p.toName}`, `${percent(f.use[i] / 255)} used`], ["waiting", bytesText(f.waiting[i], this.source.units)]];
    if (f.blocked) rows.push(["blocked", percent(f.blocked[i] / 255)]);
    rows.push(...this.flowRows(i));
    for (const t of this.trees) {
      const m = t.members.find((x) => x.port === i);
      if (m) rows.push([`tree ${t.tree}`, m.depth === 0 ? `root, ${bytesText(m.bytes, this.source.units)} wait for it` : `branch, ${m.depth} from the root, ${bytesText(m.bytes, this.source.units)}`]);
    }
    return rows;
  }

  /** Whose packets wait for port i: the flows with most bytes. */
  flowRows(i) {
    const known = this.flows.get(i), host = (h) => this.layout.nodes[this.painter.hostNode(h)]?.name ?? `host ${h}`;
    if (!known || this.frame.waiting[i] === 0) return this.frame.waiting[i] > 0 ? [["flows", "not looked for"]] : [];
    const old = known.at === this.source.times[this.at] ? "" : ` at ${timeText(known.at, this.viewer.end, this.source.units)}`;
    return [[`flows that wait${old}`, fmt(known.flows)], ...known.named.map((f) => [`\u2003${host(f.src)} → ${host(f.dst)}`, bytesText(f.bytes, this.source.units)]), ...(known.flows > known.named.length ? [[`\u2003and ${fmt(known.flows - known.named.length)} more`, ""]] : [])];
  }

  nodeRows(n) {
    const node = this.layout.nodes[n], rows = [];
    const ports = this.source.network.ports.map((p, i) => [p, i]).filter(([p]) => p.from === n || (node.host && p.to === n));
    const value = ([, i]) => this.painter.value(i);
    for (const [, i] of ports.sort((a, b) => value(b) - value(a)).slice(0, node.host ? 2 : 4)) rows.push(...this.portRows(i));
    if (!node.host && ports.length > 4) rows.push([`and ${ports.length - 4} more ports`, ""]);
    if (node.host) {
      const h = this.painter.hostNumber(n);
      for (const t of this.trees) {
        if (t.contributors?.includes(h)) rows.push([`contributes to tree ${t.tree}`, ""]);
        const to = this.victimsOf(t, h);
        if (to.length) rows.push([`victim of tree ${t.tree}`, `${to.length} flow${to.length > 1 ? "s" : ""}, to ${to.slice(0, 3).map((d) => this.layout.nodes[this.painter.hostNode(d)]?.name).join(", ")}${to.length > 3 ? " …" : ""}`]);
      }
    }
    return rows;
  }

  victimsOf(t, host) {
    const list = [];
    for (let i = 0; t.victims && i < t.victims.length; i += 2) if (t.victims[i] === host) list.push(t.victims[i + 1]);
    return list;
  }

  point(e) {
    if (!this.frame) return;
    const r = this.canvas.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
    const found = this.painter.find(x, y);
    const key = JSON.stringify(found);
    this.canvas.style.cursor = found ? "pointer" : "grab";
    if (key !== this.hoverKey) {
      this.hoverKey = key;
      this.hover = found;
      this.draw();
    }
    this.tip.hidden = !found;
    if (!found) return;
    const title = found.cluster !== undefined ? this.layout.clusters[found.cluster].name : found.node !== undefined ? `${this.layout.nodes[found.node].host ? "host" : "switch"} ${this.layout.nodes[found.node].name}` : "port";
    const rows = found.cluster !== undefined ? this.clusterRows(found.cluster) : found.node !== undefined ? this.nodeRows(found.node) : this.portRows(found.port);
    this.tip.replaceChildren(el("div", { class: "tip-title" }, title), el("table", {}, rows.map(([a, b]) => el("tr", {}, el("td", {}, a), el("td", { class: "num" }, b)))));
    const w = this.tip.offsetWidth, h = this.tip.offsetHeight;
    this.tip.style.left = `${Math.max(0, Math.min(this.width - w, x + 14))}px`;
    this.tip.style.top = `${y + 18 + h > this.height ? Math.max(0, y - h - 10) : y + 18}px`;
  }

  clusterRows(i) {
    const c = this.layout.clusters[i], ports = this.painter.ready.inside[i];
    const sum = ports.reduce((a, p) => a + this.frame.waiting[p], 0);
    return [["switches", fmt(c.switches.length)], ["hosts", fmt(c.hosts)], ["waiting inside", bytesText(sum, this.source.units)], ["click", "opens it"]];
  }

  click(e) {
    const r = this.canvas.getBoundingClientRect(), found = this.painter.find(e.clientX - r.left, e.clientY - r.top);
    if (!found) this.choose(undefined);
    else if (found.cluster !== undefined) this.open(found.cluster);
    else if (found.node !== undefined && this.layout.nodes[found.node].host) this.choose(found.node);
    else this.choose(undefined);
    this.draw();
  }

  /** Zoom to a cluster, so that it opens. */
  open(i) {
    const c = this.layout.clusters[i], b = c.box, p = this.painter;
    const k = Math.min(p.w / ((b.right - b.left) * p.s + 40), p.h / ((b.bottom - b.top) * p.s + 40), 400);
    const x = ((b.left + b.right) / 2) * p.s + p.ox, y = ((b.top + b.bottom) / 2) * p.s + p.oy;
    select(this.canvas).call(this.zoom.transform, zoomIdentity.translate(p.w / 2 - k * x, p.h / 2 - k * y).scale(k));
    this.viewer.follow(this, p.t);
  }

  /** Links from node n to every other. */
  hops(n) {
    const { nodes, ports } = this.source.network;
    if (!this.next) {
      this.next = nodes.map(() => []);
      for (const p of ports) this.next[p.from].push(p.to);
    }
    const hops = new Int32Array(nodes.length).fill(-1), queue = [n];
    hops[n] = 0;
    for (let i = 0; i < queue.length; i++) for (const to of this.next[queue[i]]) if (hops[to] < 0) { hops[to] = hops[queue[i]] + 1; queue.push(to); }
    return hops;
  }

  /** Where what host node n sends to `hosts` meets tree t: the first of its ports on a shortest way, else the nearest one. */
  meets(t, n, hosts) {
    const { ports } = this.source.network, from = this.hops(n), near = [...t.members].sort((a, b) => from[ports[a.port].from] - from[ports[b.port].from]);
    for (const h of hosts.slice(0, 8)) {
      const end = this.painter.hostNode(h), to = this.hops(end);
      const m = near.find((m) => from[ports[m.port].from] + 1 + to[ports[m.port].to] === from[end]);
      if (m) return { port: m.port, host: end };
    }
    return { port: near[0]?.port, host: this.painter.hostNode(hosts[0]) };
  }

  /** The chain of ports that holds back what host n sends. */
  choose(n) {
    this.chosen = n;
    this.chain = [];
    this.told.textContent = "";
    if (n === undefined) return;
    const { nodes, ports } = this.source.network, name = nodes[n].name, h = this.painter.hostNumber(n), own = this.painter.ready.up[n];
    const held = (t) => t.members.some((m) => m.port === own), t = this.trees.find(held) ?? this.trees.find((t) => this.victimsOf(t, h).length && t.members.length);
    if (!t) {
      const f = this.frame;
      this.told.textContent = f && own >= 0 ? `${name} is in no tree at this time; its link is ${percent(f.use[own] / 255)} used${f.blocked ? `, ${percent(f.blocked[own] / 255)} blocked` : ""}.` : "";
      return;
    }
    const by = new Map(t.members.map((m) => [m.port, m])), to = this.victimsOf(t, h), at = held(t) ? { port: own } : this.meets(t, n, to);
    for (let p = at.port, k = 0; p !== NONE && by.has(p) && k < 64; p = by.get(p).next, k++) this.chain.push(p);
    const role = t.contributors?.includes(h) ? "contributes to" : to.length ? "is a victim of" : "is held by";
    const where = at.host === undefined ? "" : `what it sends to ${nodes[at.host].name} meets it at `;
    this.told.textContent = `${name} ${role} tree ${t.tree}: ${where}${this.chain.map((p) => ports[p].name).join(" waits for ")}, the root, which sends to ${ports[this.chain[this.chain.length - 1]].toName}.`;
  }

  reset() { select(this.canvas).call(this.zoom.transform, zoomIdentity); }

  key(e) {
    const by = { "+": 1.3, "=": 1.3, "-": 1 / 1.3 }[e.key], move = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] }[e.key];
    if (e.ctrlKey || e.metaKey || e.altKey) return;
    if (by) select(this.canvas).call(this.zoom.scaleBy, by);
    else if (move) select(this.canvas).call(this.zoom.translateBy, move[0] / this.painter.t.k, move[1] / this.painter.t.k);
    else if (e.key === "0") this.reset();
    else return;
    e.preventDefault();
    this.viewer.follow(this, this.painter.t);
  }
}
