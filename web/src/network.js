// A network with the use of its links. Hosts and switches are put where the graph says they belong:
//   tree       rows by distance from the hosts
//   grid       tori and meshes of two or three dimensions, recognised by the numbers of neighbours
//   groups     dragonflies: equal runs of switches that all know each other, around a circle
//   row        a few switches with their hosts below
//   circle     anything else
// Many hosts are drawn as one dot per switch, so that the switches stay readable.
import { base, tipTable, tooltip } from "./charts.js";
import { fmt } from "./dom.js";
import { ramp, theme } from "./theme.js";

const MANY_HOSTS = 48;
const natural = new Intl.Collator("en", { numeric: true });
const MANY_LINKS = 90; // beyond, the two directions share a line
const MOST_LINES = 3000; // beyond, the least busy are left out: nobody could tell them apart

const kib = (bytes) => (bytes >= 1024 ? `${fmt(bytes / 1024, 3)} KiB` : `${fmt(bytes, 3)} B`);

// -- the graph --

function readGraph(spec) {
  const nodes = (spec.nodes || []).map((n) => ({ name: String(n.name), host: n.kind === "host", near: new Set() }));
  const number = new Map(nodes.map((n, i) => [n.name, i]));
  const find = (end) => {
    if (typeof end === "number") return end;
    if (!number.has(end)) {
      number.set(end, nodes.length);
      nodes.push({ name: String(end), host: /^h/.test(end), near: new Set() });
    }
    return number.get(end);
  };
  const links = [];
  for (const l of spec.links || []) {
    const [from, to, use, queue] = Array.isArray(l) ? l : [l.from, l.to, l.use, l.queue];
    const a = find(from), b = find(to);
    if (!nodes[a] || !nodes[b]) continue;
    nodes[a].near.add(b);
    nodes[b].near.add(a);
    links.push({ a, b, use: use || 0, queue: queue || 0 });
  }
  return sorted({ nodes, links });
}

/** s2 before s10: neighbours by number are neighbours in most networks. */
function sorted({ nodes, links }) {
  const order = nodes.map((_, i) => i).sort((i, k) => natural.compare(nodes[i].name, nodes[k].name));
  const where = [];
  order.forEach((old, now) => { where[old] = now; });
  return {
    nodes: order.map((i) => ({ ...nodes[i], near: new Set([...nodes[i].near].map((k) => where[k]).sort((a, b) => a - b)) })),
    links: links.map((l) => ({ ...l, a: where[l.a], b: where[l.b] })),
  };
}

/** All hosts of a switch become one node; its links carry the greatest use, and remember the mean. */
function gather(graph) {
  const group = new Map(), nodes = [], where = [];
  graph.nodes.forEach((n, i) => {
    if (!n.host) {
      where[i] = nodes.length;
      nodes.push({ name: n.name, host: false, near: new Set() });
    }
  });
  graph.nodes.forEach((n, i) => {
    if (!n.host) return;
    const leaf = [...n.near].find((k) => !graph.nodes[k].host) ?? -1;
    if (!group.has(leaf)) {
      group.set(leaf, nodes.length);
      nodes.push({ name: "", host: true, members: [], near: new Set() });
    }
    where[i] = group.get(leaf);
    nodes[where[i]].members.push(n.name);
  });
  for (const n of nodes)
    if (n.members) n.name = n.members.length === 1 ? n.members[0] : `${n.members[0]} … ${n.members[n.members.length - 1]}`;
  const merged = new Map();
  for (const l of graph.links) {
    const a = where[l.a], b = where[l.b], key = `${a}>${b}`;
    const m = merged.get(key) || { a, b, use: 0, queue: 0, sum: 0, n: 0 };
    merged.set(key, { ...m, use: Math.max(m.use, l.use), queue: Math.max(m.queue, l.queue), sum: m.sum + l.use, n: m.n + 1 });
    nodes[a].near.add(b);
    nodes[b].near.add(a);
  }
  return { nodes, links: [...merged.values()] };
}

// -- where things go: coordinates from 0 to 1 --

function tiers(nodes) {
  const tier = nodes.map((n) => (n.host ? 0 : -1));
  let edge = nodes.map((n, i) => i).filter((i) => nodes[i].host);
  for (let d = 1; edge.length > 0; d++) {
    const next = [];
    for (const i of edge) for (const k of nodes[i].near) if (tier[k] < 0) { tier[k] = d; next.push(k); }
    edge = next;
  }
  return tier.map((t) => (t < 0 ? 1 : t));
}

const spread = (i, n) => (i + 0.5) / n;
const mean = (list) => list.reduce((a, b) => a + b, 0) / Math.max(1, list.length);

/** Rows of a tree, hosts below. Hosts stand under their switch. */
function rows(nodes, tier) {
  const top = Math.max(...tier);
  const at = nodes.map(() => [0, 0]);
  const put = (list, d) => list.forEach((i, k) => { at[i] = [spread(k, list.length), 1 - (top > 0 ? d / top : 0)]; });
  for (let d = 1; d <= top; d++) put(nodes.map((n, i) => i).filter((i) => tier[i] === d), d);
  const below = nodes.map((n, i) => i).filter((i) => tier[i] === 0);
  const over = (i) => mean([...nodes[i].near].map((k) => at[k][0]));
  put(below.map((i) => [over(i), i]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((p) => p[1]), 0);
  return at;
}

/** Sides of the grid the switches form if numbered row by row, or null. */
function gridSides(switches, pairs) {
  const n = switches.length;
  const fits = (sides) => pairs.every(([a, b]) => {
    let differing = 0;
    for (let k = 0, x = a, y = b; k < sides.length; k++) {
      const i = x % sides[k], j = y % sides[k], d = Math.abs(i - j);
      if (d !== 0) differing += d === 1 || d === sides[k] - 1 ? 1 : 9;
      x = Math.floor(x / sides[k]);
      y = Math.floor(y / sides[k]);
    }
    return differing === 1;
  });
  const used = (sides) => sides.reduce((a, b) => a + b, 0);
  const found = [];
  for (let a = 2; a <= n / 2; a++) {
    if (n % a) continue;
    if (fits([a, n / a])) found.push([a, n / a]);
    for (let b = 2; b <= n / a / 2; b++) if ((n / a) % b === 0 && fits([a, b, n / a / b])) found.push([a, b, n / a / b]);
  }
  return found.sort((x, y) => x.length - y.length || used(x) - used(y))[0] || null;
}

/** Size of the runs of switches that are all linked with each other, or 0. */
function groupSize(switches, near) {
  const n = switches.length;
  const complete = switches.every((_, i) => switches.every((__, j) => i === j || near(i, j)));
  for (let size = complete ? 0 : Math.floor(n / 3); size >= 3; size--) {
    if (n % size) continue;
    let all = true;
    for (let i = 0; all && i < n; i++)
      for (let j = i - (i % size); all && j < i; j++) all = near(i, j);
    if (all) return size;
  }
  return 0;
}

const around = (share, radius, cx = 0.5, cy = 0.5) => [cx + radius * Math.sin(2 * Math.PI * share), cy - radius * Math.cos(2 * Math.PI * share)];

function placeSwitches(nodes, switches) {
  const order = new Map(switches.map((i, k) => [i, k]));
  const pairs = [];
  for (const i of switches) for (const j of nodes[i].near) if (order.has(j) && i < j) pairs.push([order.get(i), order.get(j)]);
  const n = switches.length;
  const sides = n >= 6 ? gridSides(switches, pairs) : null;
  if (sides) {
    const [a, b, c = 1] = sides;
    return { shape: "grid", square: (a * c) / b, at: switches.map((_, k) => {
      const x = k % a, y = Math.floor(k / a) % b, z = Math.floor(k / (a * b));
      return [(x + z * (a + 0.6) + 0.5) / (c * (a + 0.6)), spread(y, b)];
    }) };
  }
  const size = n >= 6 ? groupSize(switches, (i, j) => nodes[switches[i]].near.has(switches[j])) : 0;
  if (size) {
    const groups = n / size, small = Math.min(0.16, 1.1 / groups);
    return { shape: "groups", square: 1, middle: (k) => around(Math.floor(k / size) / groups, 0.47 - small), at: switches.map((_, k) => {
      const [x, y] = around(Math.floor(k / size) / groups, 0.47 - small);
      return around((k % size) / size + Math.floor(k / size) / groups, small * 0.8, x, y);
    }) };
  }
  return { shape: "circle", square: 1, at: switches.map((_, k) => around(k / n, 0.36)) };
}

/** Hosts of networks without tiers stand outside their switch, as seen from the middle or in a ring. */
function placeAround(nodes, place, switches) {
  const at = nodes.map(() => [0.5, 0.5]);
  switches.forEach((i, k) => { at[i] = place.at[k]; });
  nodes.forEach((n, i) => {
    if (!n.host) return;
    const s = [...n.near].find((k) => !nodes[k].host);
    if (s === undefined) return;
    const mates = [...nodes[s].near].filter((k) => nodes[k].host);
    const [x, y] = at[s];
    const k = mates.indexOf(i);
    if (place.shape === "grid") {
      at[i] = around(0.125 + (k / Math.max(mates.length, 4)) * 0.9, 0.28 / Math.max(3, Math.sqrt(switches.length)), x, y);
    } else if (place.middle) {
      const [cx, cy] = place.middle(switches.indexOf(s));
      const angle = Math.atan2(x - cx, cy - y) / (2 * Math.PI) + ((k + 0.5) / mates.length - 0.5) * 0.16;
      at[i] = around(angle, 0.052, x, y);
    } else {
      const angle = Math.atan2(x - 0.5, 0.5 - y) / (2 * Math.PI) + ((k + 0.5) / mates.length - 0.5) * (0.7 / switches.length);
      at[i] = around(angle, Math.hypot(x - 0.5, y - 0.5) + 0.08);
    }
  });
  return at;
}

function arrange(nodes) {
  const tier = tiers(nodes);
  const switches = nodes.map((n, i) => i).filter((i) => !nodes[i].host);
  const tree = Math.max(0, ...tier) > 1 || switches.length <= 5;
  if (tree) return { at: rows(nodes, tier), shape: "tree", tier };
  const place = placeSwitches(nodes, switches);
  return { at: placeAround(nodes, place, switches), shape: place.shape, square: place.square, tier };
}

// -- the drawing --

function foldDirections(links) {
  const pairs = new Map();
  for (const l of links) {
    const key = l.a < l.b ? `${l.a}-${l.b}` : `${l.b}-${l.a}`;
    pairs.set(key, [...(pairs.get(key) || []), l]);
  }
  return [...pairs.values()].map((ways) => ({ ...ways.reduce((x, y) => (y.use > x.use ? y : x)), ways }));
}

function linkRows(ways, nodes) {
  return ways.flatMap((l) => {
    const title = `${nodes[l.a].name} → ${nodes[l.b].name}`;
    const use = l.n > 1 ? `max ${fmt(l.use * 100, 3)} %, mean ${fmt((l.sum / l.n) * 100, 3)} %` : `${fmt(l.use * 100, 3)} %`;
    return [[null, title, use], ...(l.queue > 0 ? [[null, l.n > 1 ? "longest mean queue" : "mean queue", kib(l.queue)]] : [])];
  });
}

function edgesOf(graph, items, shape) {
  const fold = graph.links.length > MANY_LINKS;
  const links = fold ? foldDirections(graph.links) : graph.links.map((l) => ({ ...l, ways: [l] }));
  const thick = links.length > 600 ? 1.6 : links.length > 150 ? 2.6 : 5;
  links.sort((x, y) => x.use - y.use); // busy ones on top
  links.splice(0, links.length - MOST_LINES);
  const many = links.length > 150;
  const reach = (l) => Math.hypot(items[l.a].x - items[l.b].x, items[l.a].y - items[l.b].y);
  const trunks = links.filter((l) => !graph.nodes[l.a].host && !graph.nodes[l.b].host);
  // A link round the back of a torus would hide behind the row it closes.
  const far = shape === "grid" ? 1.6 * Math.max(...["x", "y"].map((c) => Math.min(...trunks.map((l) => Math.abs(items[l.a][c] - items[l.b][c])).filter((d) => d > 1)))) : Infinity;
  return links.map((l) => {
    const length = reach(l);
    return { source: l.a, target: l.b, ways: l.ways, lineStyle: {
      color: ramp(theme().heat, l.use), width: many ? 0.5 + thick * l.use * l.use : 1 + thick * l.use,
      opacity: many ? 0.3 + 0.7 * l.use * l.use : 0.95,
      curveness: length > far ? 0.16 : fold ? 0 : Math.min(0.3, 15 / Math.max(1, length)), // the two directions lie side by side
    } };
  });
}

function nodeItem(n, i, at, size, label) {
  const t = theme();
  return {
    id: String(i), name: n.name, x: at[0] * size.w, y: at[1] * size.h, node: n,
    symbol: n.host ? "circle" : "roundRect",
    symbolSize: label.big ? [30, 17] : Math.max(3, Math.min(label.room * 0.6, n.members ? 7 + Math.min(9, Math.sqrt(n.members.length)) : 9)),
    itemStyle: { color: n.host ? t.panel : t.dark ? "#c6ced8" : "#38424d", borderColor: n.host ? t.quiet : t.panel, borderWidth: n.host ? 1.5 : 1 },
    label: { show: label.show, position: label.where, formatter: n.members ? String(n.members.length) : n.name, fontSize: 11, width: 90, overflow: "truncate",
      color: label.where === "inside" ? (t.dark ? "#14181d" : "#ffffff") : t.quiet, fontFamily: t.font },
  };
}

/** Two nodes nobody sees keep ECharts from stretching the drawing. */
const corners = (size) => [[0, 0], [size.w, size.h]].map(([x, y], k) => ({ id: `corner${k}`, name: "", x, y, symbolSize: 0, silent: true, label: { show: false }, tooltip: { show: false } }));

export function networkChart(spec, width) {
  let graph = readGraph(spec);
  const all = graph.nodes;
  const hosts = all.filter((n) => n.host).length;
  const gathered = hosts > MANY_HOSTS || (hosts > 24 && width < 500);
  if (gathered) graph = gather(graph);
  const { at, shape, square, tier } = arrange(graph.nodes);
  const w = width - 48;
  const h = shape === "tree" ? Math.min(420, Math.max(210, Math.max(...tier) * 150)) : Math.min(620, w / Math.max(0.7, square || 1));
  const size = { w, h };
  const side = Math.min(w, h);
  if (shape === "groups" || shape === "circle") at.forEach((p) => { p[0] = 0.5 + ((p[0] - 0.5) * side) / w; p[1] = 0.5 + ((p[1] - 0.5) * side) / h; });
  const perRow = new Map();
  tier.forEach((t) => perRow.set(t, (perRow.get(t) || 0) + 1));
  const room = (i) => (shape === "tree" ? w / perRow.get(tier[i]) : w / Math.sqrt(graph.nodes.length) / 1.6);
  const items = graph.nodes.map((n, i) => {
    const big = !n.host && room(i) >= 34;
    const show = n.host ? room(i) >= (n.members ? 15 : 22) : big || (room(i) >= 22 && shape !== "tree");
    return nodeItem(n, i, at[i], size, { big, show, room: room(i), where: big ? "inside" : n.host ? (shape === "tree" ? "bottom" : "right") : "top" });
  });
  const formatter = (p) => {
    if (p.dataType === "edge") return tipTable("Link", linkRows(p.data.ways, graph.nodes));
    const n = p.data.node;
    const ways = graph.links.filter((l) => graph.nodes[l.a] === n).sort((x, y) => y.use - x.use);
    return tipTable(n.members ? `${n.members.length} hosts: ${n.name}` : `${n.host ? "Host" : "Switch"} ${n.name}`,
      ways.slice(0, 6).flatMap((l) => linkRows([l], graph.nodes)), ways.length > 6 ? `and ${ways.length - 6} more links, less busy` : null);
  };
  const option = { ...base(), tooltip: tooltip(formatter, "item"), series: [{
    type: "graph", layout: "none", name: "0", data: [...items, ...corners(size)], links: edgesOf(graph, items, shape), roam: false,
    left: 24, right: 24, top: 22, bottom: 26, emphasis: { focus: "none", lineStyle: { opacity: 1 } }, labelLayout: { hideOverlap: true }, scaleLimit: { min: 0.7, max: 12 },
  }] };
  delete option.grid;
  const notes = [];
  if (gathered) notes.push(`${hosts} hosts are drawn as one dot per switch, with the number of its hosts; their links show the busiest of them.`);
  if (graph.links.length > MANY_LINKS) notes.push("A line shows the busier of its two directions.");
  const left = option.series[0].links.length;
  if (left === MOST_LINES) notes.push(`Only the ${fmt(left)} busiest links are drawn.`);
  return { option, height: h + 48, zoom: "roam", scale: true, note: notes.join(" ") };
}
