// What a viewer shows comes from a source. This one reads the document inside the page; one that hears a
// running simulation has the same members:
//   network            { nodes: [{ name, host }], ports: [{ from, to, name, toName, use, queue, most }], topology }
//   times              ms of each frame, rising; more may come (onframe is called)
//   frame(i)           promise of { waiting: bytes, blocked: 0..255 or null, use: 0..255 }, a value per port; flow: words of
//                      whose packets wait where (docs/RESULTS.md), or null
//   trees              [{ tree, root_port, root, root_to, begin_ns, end_ns, links, contributors, victims, loss, kind, ... }]
//   treesAt(i)         promise of [{ tree, members: [{ port, depth, next, bytes }], contributors,
//   victims }];
//                      between samples those of the last sample that still stand
//   units              { cycle: ns, flit: bytes } of the run file (amounts.js), or null

import { unitsIn } from "../amounts.js";

const bytesOf = (base64) => Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));

/** zlib, as the database has it. */
async function inflate(base64) {
  const stream = new Blob([bytesOf(base64)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

const words = (bytes) => new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >> 2);

function readNetwork(spec) {
  const nodes = (spec.nodes || []).map((n) => ({ name: String(n.name), host: n.kind === "host", number: n.number }));
  const number = new Map(nodes.map((n, i) => [n.name, i]));
  const find = (end) => {
    if (typeof end === "number") return end;
    if (!number.has(end)) {
      number.set(end, nodes.length);
      nodes.push({ name: String(end), host: /^h/.test(end) });
    }
    return number.get(end);
  };
  const ports = [];
  for (const l of spec.links || []) {
    const [from, to, use, queue, most, own, other] = Array.isArray(l) ? l : [l.from, l.to, l.use, l.queue];
    const a = find(from), b = find(to);
    if (!nodes[a] || !nodes[b]) continue;
    const name = (i, n) => (nodes[i].host || n === undefined || n === null || n < 0 ? nodes[i].name : `${nodes[i].name}.${n}`);
    ports.push({ from: a, to: b, name: name(a, own), toName: name(b, other), use: use || 0, queue: queue || 0, most: most || queue || 0 });
  }
  return { nodes, ports, topology: spec.topology || null };
}

/** What follows the ports of a frame: whose packets wait where. */
function flowsIn(data, n) {
  const at = Math.ceil((6 * n) / 4) * 4;
  return data.byteLength > at ? words(data.subarray(at)) : null;
}

export class EmbeddedSource {
  constructor(spec) {
    this.title = spec.title || spec.name;
    this.network = readNetwork(spec);
    this.units = unitsIn(spec);
    this.frames = spec.frames || [];
    this.times = this.frames.map((f) => f[0] / 1e6);
    this.trees = spec.trees || [];
    this.treeFrames = new Map(); // frame -> [[tree, members, contributors, victims]]
    for (const [tree, frame, members, contributors, victims] of spec.tree_frames || []) {
      if (!this.treeFrames.has(frame)) this.treeFrames.set(frame, []);
      this.treeFrames.get(frame).push([tree, members, contributors, victims]);
    }
    this.kept = new Map();
    this.onframe = null;
    const n = this.network.ports.length;
    this.mean = { waiting: Float64Array.from(this.network.ports, (p) => p.queue), blocked: null, use: Uint8Array.from(this.network.ports, (p) => Math.round(Math.min(1, p.use) * 255)), n };
    this.most = Math.max(1, ...this.network.ports.map((p) => p.most));
  }

  async keep(key, make) {
    if (!this.kept.has(key)) {
      if (this.kept.size > 900) this.kept.delete(this.kept.keys().next().value);
      this.kept.set(key, make());
    }
    return this.kept.get(key);
  }

  /** How large the trees of each frame are, roughly. */
  weights() {
    return this.frames.map((f, i) => (this.treeFrames.get(f[2] ?? i) || []).reduce((a, t) => a + t[1].length, 0));
  }

  /** The whole run's means where there are no frames. */
  frame(i) {
    if (!this.frames[i]) return Promise.resolve(this.mean);
    return this.keep(`f${i}`, () => this.readFrame(i).catch(() => this.mean));
  }

  async readFrame(i) {
    const data = await inflate(this.frames[i][1]), n = this.network.ports.length;
    return { waiting: words(data.subarray(0, 4 * n)), blocked: data.subarray(4 * n, 5 * n), use: data.subarray(5 * n, 6 * n), flow: flowsIn(data, n), n };
  }

  /** Rows of the trees at frame i; between samples those of the last sample that still stand. */
  rowsAt(i) {
    const rows = (k) => this.treeFrames.get(this.frames[k] ? this.frames[k][2] ?? k : k) || [];
    let k = i;
    while (k > 0 && rows(k).length === 0) k--;
    const now = this.frames[i]?.[0] ?? 0, stands = (tree) => (this.trees.find((t) => t.tree === tree)?.end_ns ?? 0) >= now;
    return k === i ? rows(i) : rows(k).filter(([tree]) => stands(tree));
  }

  treesAt(i) {
    const frame = this.frames[i] ? this.frames[i][2] ?? i : i;
    const one = async ([tree, members, contributors, victims]) => {
      const m = words(await inflate(members)), list = [];
      for (let k = 0; k + 3 < m.length; k += 4) list.push({ port: m[k], depth: m[k + 1], next: m[k + 2], bytes: m[k + 3] });
      return { tree, members: list.filter((x) => x.port < this.network.ports.length), contributors: contributors ? words(await inflate(contributors)) : null, victims: victims ? words(await inflate(victims)) : null };
    };
    // Data that was changed by hand costs its tree, not the picture.
    return this.keep(`t${frame}`, async () => (await Promise.all(this.rowsAt(i).map((t) => one(t).catch(() => null)))).filter(Boolean));
  }
}
