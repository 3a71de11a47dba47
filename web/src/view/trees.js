// Congestion trees over a network: branches as thick as what stands in them, frames around who contributes and who
// suffers, a numbered dot at each root, and the chain of ports that holds one host back. p is the painter.
import { theme } from "../theme.js";

const TREE_LIGHT = ["#c2185b", "#6a1b9a", "#00695c", "#0d47a1", "#9e4a00", "#4e342e", "#33691e", "#ad1457"];
const TREE_DARK = ["#ff5c9a", "#c792ff", "#4fd6c0", "#82b1ff", "#ffb060", "#d7b8a8", "#a5d66a", "#ff8ab5"];

const FRAME = 5; // px; cells that are smaller are filled
const MANY = 12; // trees: smaller dots, and no names at them

export const treeColour = (i) => (theme().dark ? TREE_DARK : TREE_LIGHT)[i % TREE_LIGHT.length];

export function trace(c, [x1, y1, x2, y2, bend]) {
  c.moveTo(x1, y1);
  if (bend) c.quadraticCurveTo(bend[0], bend[1], x2, y2);
  else c.lineTo(x2, y2);
}

export function paintTree(p, t) {
  const { c } = p, colour = treeColour(t.tree - 1);
  const most = Math.max(1, ...t.members.map((m) => m.bytes));
  const hosts = new Set(t.contributors || []), victims = new Set();
  for (let i = 0; t.victims && i < t.victims.length; i += 2) if (!hosts.has(t.victims[i])) victims.add(t.victims[i]);
  const solid = [], dashed = [];
  for (const m of t.members) {
    const from = p.network.ports[m.port]?.from;
    if (from === undefined) continue;
    const node = p.layout.nodes[from];
    (node.host && !hosts.has(p.hostNumber(from)) ? dashed : solid).push(m);
  }
  c.strokeStyle = colour;
  const { fat } = p, thin = Math.min(1.2, fat * 0.5);
  for (const [list, dash] of [[dashed, [4, 3]], [solid, []]]) {
    c.setLineDash(dash);
    for (const m of [...list].sort((a, b) => a.bytes - b.bytes)) {
      const l = p.treeLine(m.port);
      if (!l) continue;
      c.lineWidth = dash.length ? thin : thin + (fat - thin) * Math.sqrt(m.bytes / most);
      c.globalAlpha = dash.length ? 0.75 : fat < 2.5 ? 0.6 : 0.92;
      if (c.lineWidth > 1.4) p.strokes.push(l); // a thin one does not hide a name
      c.beginPath();
      trace(c, l);
      c.stroke();
    }
  }
  c.setLineDash([]);
  c.globalAlpha = 1;
  paintParts(p, hosts, victims, colour);
}

/** Contributors have a full frame, victims a dashed one; cells that are too small for frames are filled, victims weakly. */
function paintParts(p, hosts, victims, colour) {
  if (!p.cells()) return;
  const { c } = p, frames = p.layout.cellSide * p.scale() >= FRAME;
  c.strokeStyle = c.fillStyle = colour;
  for (const [set, dash] of [[hosts, []], [victims, [2, 2]]]) {
    c.setLineDash(dash);
    c.lineWidth = p.layout.cellSide * p.scale() > 7 ? 1.6 : 0.9;
    c.beginPath();
    for (const number of set) {
      const at = p.layout.at[p.hostNode(number)];
      if (!at) continue;
      const s = at[2] * p.scale();
      c.rect(p.x(at[0]) - s / 2, p.y(at[1]) - s / 2, s, s);
    }
    c.globalAlpha = frames ? 1 : set === hosts ? 0.85 : 0.35;
    if (frames) c.stroke();
    else c.fill();
  }
  c.globalAlpha = 1;
  c.setLineDash([]);
}

export function paintRoot(p, t, colour, numbered) {
  const root = t.members[0] && p.network.ports[t.members[0].port];
  if (!root) return;
  const { c } = p, info = (p.treeInfo || []).find((x) => x.tree === t.tree);
  const [px, py] = p.rootAt(t.members[0].port);
  c.fillStyle = colour;
  c.strokeStyle = theme().page;
  c.lineWidth = numbered ? 2 : 1;
  const r = !numbered ? 3 : p.shown.length > MANY ? 6 : 8;
  c.beginPath();
  c.arc(px, py, r, 0, 7);
  c.fill();
  c.stroke();
  if (!numbered) return;
  c.fillStyle = theme().page;
  c.font = `700 ${t.tree > 99 || r < 8 ? 7 : 10}px ${theme().font}`;
  c.textAlign = "center";
  c.textBaseline = "middle";
  c.fillText(String(t.tree), px, py + 0.5);
  p.solid.push([px - r - 1, py - r - 1, px + r + 1, py + r + 1]);
  // The number is in the dot, and the list below names all; in the picture stand the names for which there is room.
  if (p.shown.length <= MANY) p.labels.push({ text: `${info?.root || root.name} → ${info?.root_to || root.toName}`, x: px, y: py, half: 9, wide: 9, ways: p.layout.nodes[root.to].host ? "senwSENW" : "ewsnEWSN", weight: 9 - t.tree / 1000, size: 12, bold: true, colour, clear: true });
}

export function paintChain(p) {
  if (!p.chain?.length) return;
  const { c } = p, t = theme();
  for (const [width, style] of [[7, t.page], [3.5, t.dark ? "#ffe08a" : "#111111"]]) {
    c.strokeStyle = style;
    c.lineWidth = width;
    c.lineCap = "round";
    for (const i of p.chain) {
      const l = p.treeLine(i);
      if (!l) continue;
      c.beginPath();
      trace(c, l);
      c.stroke();
    }
  }
  c.lineCap = "butt";
  for (const i of p.chain) {
    const port = p.network.ports[i], at = p.layout.at[port.from];
    p.labels.push({ text: port.name, x: p.x(at[0]), y: p.y(at[1]), half: 8, wide: 8, ways: "nesw", weight: 8, size: 11, bold: true });
  }
}
