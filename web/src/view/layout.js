// Where the parts of a network go. In: nodes and directed ports (source.js). Out: a place for every
// switch and host in a plane, what belongs together (clusters: pods, groups, planes), and how far apart
// neighbours are, from which the painter knows what can be told apart at a zoom.
//   tree       rows by distance from the hosts; hosts are blocks of cells below their leaf
//   grid       tori and meshes of two dimensions; of three as a cube in oblique projection
//   groups     dragonflies: groups as wedges of a ring, switches inside, hosts outside
//   graph      anything else: a circle, neighbours by number beside each other

const natural = new Intl.Collator("en", { numeric: true });
const TAU = 2 * Math.PI;

/** aspect: height over width of what it will be drawn in; trees are made to fill that. */
export function layOut(network, aspect = 1) {
  const g = graphOf(network);
  const shape = shapeOf(g, network.topology);
  const made = { tree: treeShape, grid: gridShape, groups: groupShape, graph: circleShape }[shape.kind](g, { ...shape, aspect });
  return finish(g, { shape: shape.kind, ...made });
}

function graphOf({ nodes, ports }) {
  const near = nodes.map(() => new Set());
  for (const p of ports) {
    near[p.from].add(p.to);
    near[p.to].add(p.from);
  }
  const order = nodes.map((_, i) => i).sort((a, b) => natural.compare(nodes[a].name, nodes[b].name));
  const switches = order.filter((i) => !nodes[i].host);
  const leafOf = nodes.map((n, i) => (n.host ? [...near[i]].find((k) => !nodes[k].host) ?? -1 : -1));
  const hostsOf = nodes.map(() => []);
  for (const i of order) if (leafOf[i] >= 0) hostsOf[leafOf[i]].push(i);
  const index = new Map(switches.map((s, k) => [s, k]));
  return { nodes, near, order, switches, leafOf, hostsOf, index };
}

// -- what it is --

function tiersOf(g) {
  const tier = g.nodes.map((n) => (n.host ? 0 : -1));
  let edge = g.order.filter((i) => g.nodes[i].host);
  for (let d = 1; edge.length > 0; d++) {
    const next = [];
    for (const i of edge) for (const k of g.near[i]) if (tier[k] < 0) { tier[k] = d; next.push(k); }
    edge = next;
  }
  return tier.map((t) => (t < 0 ? 1 : t));
}

/** Sides of the grid that the switches form if numbered row by row, or null. */
function gridSides(g) {
  const n = g.switches.length, pairs = [];
  for (const s of g.switches) for (const t of g.near[s]) if (s < t && g.index.has(t)) pairs.push([g.index.get(s), g.index.get(t)]);
  const fits = (sides) => pairs.every(([a, b]) => {
    let differing = 0;
    for (let k = 0, x = a, y = b; k < sides.length; k++) {
      const d = Math.abs((x % sides[k]) - (y % sides[k]));
      if (d !== 0) differing += d === 1 || d === sides[k] - 1 ? 1 : 9;
      x = Math.floor(x / sides[k]);
      y = Math.floor(y / sides[k]);
    }
    return differing === 1;
  });
  const found = [];
  for (let a = 2; a <= n / 2; a++) {
    if (n % a) continue;
    if (fits([a, n / a])) found.push([a, n / a]);
    for (let b = 2; b <= n / a / 2; b++) if ((n / a) % b === 0 && fits([a, b, n / a / b])) found.push([a, b, n / a / b]);
  }
  const used = (sides) => sides.reduce((x, y) => x + y, 0);
  return found.sort((x, y) => x.length - y.length || used(x) - used(y))[0] || null;
}

/** Size of the runs of switches that are all linked with each other, or 0. */
function groupSize(g) {
  const n = g.switches.length, near = (i, j) => g.near[g.switches[i]].has(g.switches[j]);
  // A row can be no longer than the first switch's neighbours by number allow.
  let most = 1;
  while (most < n && near(0, most)) most++;
  for (let size = Math.min(most, Math.floor(n / 3)); size >= 2; size--) {
    if (n % size) continue;
    let all = true;
    for (let i = 0; all && i < n; i++) for (let j = i - (i % size); all && j < i; j++) all = near(i, j);
    if (all) return size;
  }
  return 0;
}

function shapeOf(g, topology) {
  const kind = topology?.kind || "", n = g.switches.length;
  const tier = tiersOf(g), top = Math.max(0, ...tier);
  if (/^(torus|mesh|hypercube)$/.test(kind) || (!kind && top <= 1 && n >= 6)) {
    const sides = n >= 4 ? gridSides(g) : null;
    if (sides) return { kind: "grid", sides };
  }
  if (kind === "dragonfly" || (!kind && top <= 1 && n >= 6)) {
    const size = groupSize(g);
    if (size) return { kind: "groups", size };
  }
  if (top > 1 || n <= 5) return { kind: "tree", tier, top };
  return { kind: "graph" };
}

// -- hosts as blocks of cells --

/** Columns of a block of n cells that is about `wide` times as wide as high. */
const columnsFor = (n, wide) => Math.max(1, Math.min(n, Math.ceil(Math.sqrt(n * wide))));

/** Cells of the hosts of switch s in the rectangle; returns the side of a cell. */
function cellsIn(g, at, s, left, top, width, height) {
  const list = g.hostsOf[s], n = list.length;
  if (n === 0) return Infinity;
  let columns = columnsFor(n, width / height);
  const rows = Math.ceil(n / columns);
  columns = Math.ceil(n / rows);
  const side = Math.min(width / columns, height / rows);
  const x0 = left + (width - side * columns) / 2;
  list.forEach((h, k) => { at[h] = [x0 + ((k % columns) + 0.5) * side, top + (Math.floor(k / columns) + 0.5) * side, side * 0.86]; });
  return side;
}

// -- tree --

/** Pods: what still hangs together without the top row. */
function pods(g, tier, top) {
  const of = new Map();
  let n = 0;
  for (const s of g.switches) {
    if (tier[s] === top || of.has(s)) continue;
    const todo = [s];
    of.set(s, n);
    while (todo.length) for (const k of g.near[todo.pop()]) if (!g.nodes[k].host && tier[k] < top && !of.has(k)) { of.set(k, n); todo.push(k); }
    n++;
  }
  return { of, n };
}

function treeShape(g, { tier, top, aspect }) {
  const at = g.nodes.map(() => [0, 0, 0]);
  const leaves = g.switches.filter((s) => tier[s] === 1).length;
  const most = Math.max(1, ...g.switches.map((s) => g.hostsOf[s].length));
  const W = 1000, slot = W / Math.max(1, leaves);
  const pod = top > 2 ? pods(g, tier, top) : { of: new Map(), n: 0 };
  // Few leaves: their hosts take the room that there is, in one row if they are few.
  const room = Math.min(slot * 0.94, Math.max(120, most * 46));
  const cell = room * 0.94 / columnsFor(most, leaves > 12 ? 0.4 : leaves > 4 ? 2 : 6);
  const rows = Math.ceil(most / columnsFor(most, leaves > 12 ? 0.4 : leaves > 4 ? 2 : 6));
  const gap = top > 1 ? (1000 / top) * Math.max(0.4, Math.min(1, aspect * 1.5)) : 60;
  let spacing = Infinity;
  for (let d = 1; d <= top; d++) {
    // Rows above keep the order of what is below them.
    const mean = (s) => { const below = [...g.near[s]].filter((k) => !g.nodes[k].host && tier[k] < tier[s]); return below.reduce((a, k) => a + at[k][0], 0) / Math.max(1, below.length); };
    let list = g.switches.filter((s) => tier[s] === d);
    if (pod.n > 1 && d < top) list = list.map((s) => [pod.of.get(s), g.index.get(s), s]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((x) => x[2]);
    else if (d > 1 && pod.n <= 1) list = list.map((s, i) => [mean(s), i, s]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map((x) => x[2]);
    list.forEach((s, k) => { at[s] = [((k + 0.5) / list.length) * W, -(d - 1) * gap, Math.min(16, (W / list.length) * 0.7)]; });
    spacing = Math.min(spacing, W / list.length);
  }
  for (const s of g.switches) if (g.hostsOf[s].length) cellsIn(g, at, s, at[s][0] - room * 0.47, at[s][1] + Math.min(28, 10 + room * 0.3), room * 0.94, Math.max(cell * rows, cell));
  const clusters = pod.n > 1 ? clustersOf(g, (s) => (tier[s] === top ? pod.n + Math.floor((g.index.get(s) * 0) + topChunk(g, tier, top, s, pod.n)) : pod.of.get(s)), (i) => (i < pod.n ? `pod ${i}` : `top ${i - pod.n}`)) : null;
  return { at, spacing, clusters, tier, top, hostRows: rows, cellSide: cell };
}

/** The top row in as many runs as there are pods, at most 24. */
function topChunk(g, tier, top, s, n) {
  g.topOrder ??= new Map(g.switches.filter((k) => tier[k] === top).map((k, i) => [k, i]));
  const runs = Math.min(24, n);
  return Math.floor((g.topOrder.get(s) / g.topOrder.size) * runs);
}

// -- grid and cube --

function gridShape(g, { sides, aspect }) {
  const [a, b, c = 1] = sides, at = g.nodes.map(() => [0, 0, 0]), step = 60, cube = c > 1;
  const down = cube ? step * Math.max(1.5, c * 0.42) : step, dy = cube ? step * 0.31 : 0;
  // Columns stand further apart in a wide room: names have more of it.
  const wide = cube ? step * Math.max(1.6, c * 0.47) : step, shift = cube ? step * (0.37 + a * 0.0007) : 0;
  const stretch = Math.max(1, Math.min(2.1, (b * down + c * dy) / (a * wide + c * shift) / aspect));
  const across = wide * stretch, dx = shift * stretch;
  g.switches.forEach((s, k) => {
    const x = k % a, y = Math.floor(k / a) % b, z = Math.floor(k / (a * b));
    at[s] = [x * across + z * dx, y * down - z * dy, cube ? 12 : 16];
  });
  let side = Infinity;
  for (const s of g.switches) side = Math.min(side, cellsIn(g, at, s, at[s][0] + 9, at[s][1] + 9, cube ? 12 : 22, cube ? 12 : 22));
  const clusters = c > 3 && g.switches.length > 600 ? clustersOf(g, (s) => Math.floor(g.index.get(s) / (a * b)), (i) => `plane ${i}`) : null;
  return { at, spacing: cube ? 20 : step, clusters, sides, cellSide: side, wrap: (p, q) => {
    let x = g.index.get(p), y = g.index.get(q);
    for (const s of sides) { if (Math.abs((x % s) - (y % s)) > 1) return true; x = Math.floor(x / s); y = Math.floor(y / s); }
    return false;
  } };
}

// -- groups --

function groupShape(g, { size }) {
  const n = g.switches.length, groups = n / size, at = g.nodes.map(() => [0, 0, 0]);
  const hosts = Math.max(1, ...g.switches.map((s) => g.hostsOf[s].length));
  const R = 400, wedge = TAU / groups, inner = R, pitch = (R * wedge * 0.86) / size;
  // A column of hosts for each switch, outwards.
  const columns = hosts <= 3 ? 1 : Math.min(hosts, pitch > 14 ? Math.ceil(Math.sqrt(hosts)) : 2);
  const cell = Math.min(22, (pitch * 0.9) / columns), depth = Math.ceil(hosts / columns) * cell, edge = Math.min(14, pitch * 1.4);
  g.switches.forEach((s, k) => {
    const angle = (Math.floor(k / size) + 0.07 + 0.86 * ((k % size) + 0.5) / size) * wedge;
    const place = (radius, turn = 0) => [radius * Math.sin(angle + turn), -radius * Math.cos(angle + turn)];
    at[s] = [...place(inner + edge), Math.min(14, pitch * 0.7)];
    g.hostsOf[s].forEach((h, j) => {
      const column = j % columns, row = Math.floor(j / columns), radius = inner + 2.1 * edge + (row + 0.5) * cell;
      at[h] = [...place(radius, ((column - (columns - 1) / 2) * cell) / radius), cell * 0.84];
    });
  });
  const clusters = clustersOf(g, (s) => Math.floor(g.index.get(s) / size), (i) => `group ${i}`);
  clusters.forEach((c, i) => { c.arc = { from: (i + 0.04) * wedge, to: (i + 0.96) * wedge, inner: inner - 2, outer: inner + 2.5 * edge + depth }; });
  return { at, spacing: pitch, clusters, size, cellSide: cell, curved: true };
}

// -- anything else --

function circleShape(g) {
  const n = g.switches.length, at = g.nodes.map(() => [0, 0, 0]), R = 400;
  g.switches.forEach((s, k) => { at[s] = [R * Math.sin((k / n) * TAU), -R * Math.cos((k / n) * TAU), Math.min(16, (R * TAU / n) * 0.6)]; });
  let side = Infinity;
  const room = Math.min(70, (R * TAU / n) * 0.9);
  g.switches.forEach((s, k) => {
    const out = R + 16 + room * 0.6, x = out * Math.sin((k / n) * TAU), y = -out * Math.cos((k / n) * TAU);
    side = Math.min(side, cellsIn(g, at, s, x - room / 2, y - room / 2, room, room));
  });
  return { at, spacing: (R * TAU) / n, clusters: null, cellSide: side, curved: true };
}

// -- common end --

function clustersOf(g, number, name) {
  const list = [];
  for (const s of g.switches) {
    const k = number(s);
    list[k] ??= { name: name(k), switches: [] };
    list[k].switches.push(s);
  }
  return list;
}

function finish(g, made) {
  const xs = made.at.map((p) => p[0]), ys = made.at.map((p) => p[1]), half = made.at.map((p) => p[2] / 2);
  const least = (list, sign) => list.reduce((m, v, i) => Math.min(m, sign * v - half[i]), Infinity);
  const box = { left: least(xs, 1), right: -least(xs, -1), top: least(ys, 1), bottom: -least(ys, -1) };
  if (made.clusters?.[0]?.arc) {
    const r = made.clusters[0].arc.outer;
    Object.assign(box, { left: -r, right: r, top: -r, bottom: r });
  }
  if (made.wrap) { // cables around the torus bend outwards
    const [w, h] = [0.045 * (box.right - box.left), 0.045 * (box.bottom - box.top)];
    Object.assign(box, { left: box.left - h, right: box.right + h, top: box.top - w, bottom: box.bottom + w });
  }
  const clusterOf = new Int32Array(g.nodes.length).fill(-1);
  (made.clusters || []).forEach((c, i) => {
    let [x0, x1, y0, y1] = [Infinity, -Infinity, Infinity, -Infinity];
    for (const s of c.switches) for (const k of [s, ...g.hostsOf[s]]) {
      clusterOf[k] = i;
      const [x, y, w] = made.at[k];
      [x0, x1, y0, y1] = [Math.min(x0, x - w / 2), Math.max(x1, x + w / 2), Math.min(y0, y - w / 2), Math.max(y1, y + w / 2)];
    }
    c.box = { left: x0, right: x1, top: y0, bottom: y1 };
    c.hosts = c.switches.reduce((a, s) => a + g.hostsOf[s].length, 0);
    c.middle = c.arc ? [c.arc.inner * Math.sin((c.arc.from + c.arc.to) / 2), -c.arc.inner * Math.cos((c.arc.from + c.arc.to) / 2)] : [(x0 + x1) / 2, (y0 + y1) / 2];
  });
  return { ...made, ...g, box, clusterOf };
}
