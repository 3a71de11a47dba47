// A source (source.js) that hears a program over a WebSocket: apps/cli/live_feed.c says what its messages are.
// While the run goes on it keeps what has arrived, thinned out when that is too much; when it is over every frame
// can be asked for, and is kept as long as there is room.
import { unitsIn } from "../amounts.js";

const ROOM = 128 << 20; // bytes of frames
const MOST_FRAMES = 1500;
const FURTHEST = 24; // frames between two samples, at most
const LATE = 50; // frames that may be on their way
const AGAIN_MS = 400; // another browser's wish may have replaced ours

function readNetwork({ hosts, ports, topology }) {
  const nodes = [], number = new Map(), host = new Map(hosts.map((name, i) => [name, i]));
  const node = (port) => {
    const dot = port.lastIndexOf("."), name = host.has(port) || dot < 0 ? port : port.slice(0, dot);
    if (!number.has(name)) {
      number.set(name, nodes.length);
      nodes.push({ name, host: host.has(port), number: host.get(port) });
    }
    return number.get(name);
  };
  return { nodes, ports: ports.map(([name, toName]) => ({ from: node(name), to: node(toName), name, toName, use: 0, queue: 0, most: 0 })), topology: topology ? { kind: topology } : null };
}

/** A binary message: { number, ms, paused, frame, trees }. */
export function readFrame(buffer) {
  const view = new DataView(buffer), length = view.getUint32(0, true);
  const head = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, 4, length))), n = head.ports;
  let at = 4 + length;
  const words = (count) => { const list = new Uint32Array(buffer, at, count); at += 4 * count; return list; };
  const waiting = words(n);
  const trees = head.trees.map((t) => {
    const m = words(4 * t.members), members = [];
    for (let k = 0; k < m.length; k += 4) members.push({ port: m[k], depth: m[k + 1], next: m[k + 2], bytes: m[k + 3] });
    const contributors = words(t.contributors), victims = words(2 * t.victims);
    return { tree: t.tree, root: t.root, links: t.links, bytes: t.bytes, members: members.filter((x) => x.port < n), contributors: t.counted ? contributors : null, victims: t.counted ? victims : null };
  });
  const flow = words(head.flows ?? 0);
  const frame = { waiting, flow, blocked: new Uint8Array(buffer, at, n), use: new Uint8Array(buffer, at + n, n), n };
  return { run: head.run ?? 0, number: head.frame, ms: head.t / 1e6, paused: head.paused, frame, trees };
}

export class LiveSource {
  /** say(what, value): tells the program about this run. */
  constructor(message, say) {
    Object.assign(this, { say, run: message.run ?? 0, title: message.name, live: true, running: true, paused: false, late: 0, most: 1, trees: [], times: [], numbers: [], kept: new Map(), wishes: new Map(), onframe: null });
    this.network = readNetwork(message);
    this.units = unitsIn(message);
    const n = this.network.ports.length;
    this.none = { frame: { waiting: new Uint32Array(n), blocked: new Uint8Array(n), use: new Uint8Array(n), n }, trees: [] };
    this.limit = Math.max(40, Math.min(MOST_FRAMES, Math.floor(ROOM / (6 * n + 1000))));
  }

  // -- what arrives --

  accept(got) {
    if (got.frame.n !== this.network.ports.length) return;
    this.kept.delete(got.number);
    this.kept.set(got.number, got);
    if (this.running) {
      // Frames that were on their way when we asked for a pause do not end it.
      this.paused = got.paused || (this.late > 0 && this.late-- > 0);
      this.append(got);
    } else {
      while (this.kept.size > this.limit) this.kept.delete(this.kept.keys().next().value);
      this.wishes.get(got.number)?.resolve(got);
      this.wishes.delete(got.number);
      this.ask();
    }
  }

  append(got) {
    if (got.number <= (this.numbers[this.numbers.length - 1] ?? -1)) return;
    this.numbers.push(got.number);
    this.times.push(got.ms);
    if (this.numbers.length > this.limit) this.thin();
    for (const t of got.trees) this.note(t, got.ms);
    // The scale grows in steps, so that colours do not change with every frame.
    const most = got.frame.waiting.reduce((a, b) => Math.max(a, b), 1);
    const grown = most > this.most;
    while (this.most < most) this.most *= 2;
    this.onframe?.(grown);
  }

  /** Every second frame of the older half. */
  thin() {
    const half = this.numbers.length / 2, stay = (_, i) => i > half || i % 2 === 0;
    this.numbers.filter((_, i) => !stay(_, i)).forEach((k) => this.kept.delete(k));
    this.times = this.times.filter(stay);
    this.numbers = this.numbers.filter(stay);
  }

  /** What is known of a tree so far. */
  note(t, ms) {
    let row = this.trees.find((r) => r.tree === t.tree);
    const port = this.network.ports[t.root];
    if (!row) this.trees.push(row = { tree: t.tree, begin_ns: ms * 1e6, links: 0, contributors: null, victims: null, weight: 0, kind: "" });
    Object.assign(row, { root_port: t.root, root: port?.name ?? "?", root_to: port?.toName ?? "?", end_ns: ms * 1e6, links: Math.max(row.links, t.links), weight: row.weight + t.bytes,
      ...(t.contributors ? { contributors: Math.max(row.contributors ?? 0, t.contributors.length), victims: Math.max(row.victims ?? 0, (t.victims?.length ?? 0) / 2) } : {}) });
    this.trees.sort((a, b) => b.weight - a.weight || a.tree - b.tree);
    if (this.trees.length > 200) this.trees.length = 200;
  }

  /** The run is over: now all of it can be had, and trees have their final numbers. */
  finish({ times, most, trees }) {
    Object.assign(this, { running: false, paused: false, times: times.map((t) => t / 1e6), numbers: times.map((_, i) => i), most, trees });
    this.kept.clear();
    this.onframe?.(true, true);
  }

  /** How large the trees of each frame are, roughly; of a run that is over. */
  weights() {
    return this.running ? [] : this.times.map((t) => this.trees.reduce((a, r) => a + (r.begin_ns / 1e6 <= t && t <= r.end_ns / 1e6 ? r.links : 0), 0));
  }

  close() {
    this.closed = true;
    this.wishes.forEach((w) => w.resolve(this.none));
    this.wishes.clear();
  }

  // -- what is asked for --

  get(i) {
    const number = this.numbers[i], got = this.kept.get(number);
    if (got || number === undefined || this.running || this.closed) return Promise.resolve(got ?? this.none);
    if (!this.wishes.has(number)) {
      const wish = {};
      wish.promise = new Promise((resolve) => { wish.resolve = resolve; });
      // Who drags the slider wants the last place only.
      for (const [old, w] of this.wishes) if (old !== this.asked) { w.resolve(this.none); this.wishes.delete(old); }
      this.wishes.set(number, wish);
      this.ask();
    }
    return this.wishes.get(number).promise;
  }

  /** One wish at a time, the oldest first. */
  ask() {
    clearTimeout(this.timer);
    this.asked = this.wishes.keys().next().value;
    if (this.asked === undefined || this.closed) return;
    this.say("seek", this.asked);
    this.timer = setTimeout(() => this.ask(), AGAIN_MS);
  }

  frame(i) { return this.get(i).then((g) => g.frame); }

  /** Between samples, trees of a frame are those of the last sample that still stand. */
  async treesAt(i) {
    const { trees } = await this.get(i), now = this.times[i];
    if (trees.length || this.running) return trees;
    const stand = new Set(this.trees.filter((t) => t.begin_ns / 1e6 < now && t.end_ns / 1e6 >= now).map((t) => t.tree));
    for (let k = i - 1; stand.size > 0 && k >= 0 && k > i - FURTHEST; k--) {
      const before = await this.get(k);
      if (before === this.none) break;
      if (before.trees.length) return before.trees.filter((t) => stand.has(t.tree));
    }
    return [];
  }

  // -- what the run is told --

  pause() { this.paused = true; this.late = LATE; this.say("pause"); }
  go() { this.paused = false; this.late = 0; this.say("run"); }
  step() { this.paused = true; this.say("step"); }
  delay(ms) { this.say("delay", ms); }
}
