// Names in the picture of a network: each whole, inside it and clear of the others, or not there. p is the painter.
import { theme } from "../theme.js";

const MANY_STROKES = 150;

/** Heavy labels first; each whole, inside the picture and clear of the others, or not at all. */
export function paintLabels(p) {
  const { c } = p, t = theme(), taken = [], CELLS = 48, grid = new Map();
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
  p.solid.forEach(put);
  taken.length = 0;
  const struck = strikes(p);
  c.textAlign = "center";
  c.textBaseline = "alphabetic";
  c.lineJoin = "round";
  for (const l of p.labels.sort((a, b) => b.weight - a.weight)) {
    c.font = `${l.bold ? 600 : 400} ${l.size}px ${t.font}`;
    const w = c.measureText(l.text).width, strong = l.weight >= 8;
    // Where a branch strikes it through only if it must be read and there is no other place.
    for (const [way, over] of [...l.ways].map((one) => [one, false]).concat(strong ? [...l.ways].map((one) => [one, true]) : [])) {
      if (way === "i" && w > 2 * l.half - 4) continue;
      const { x, y, box } = labelAt(p, l, way, w, strong);
      // A label in its own cell, and one that must be read, may lie over what is drawn.
      if (box[0] < 0 || box[2] > p.w || box[1] < 0 || box[3] > p.h) continue;
      if (way === "i" ? false : strong && !l.clear ? taken.some((o) => box[0] < o[2] && box[2] > o[0] && box[1] < o[3] && box[3] > o[1]) : hits(box)) continue;
      if (!over && way !== "i" && struck(box)) continue;
      put(box);
      write(p, l, way, x, y, strong);
      break;
    }
  }
  c.lineJoin = "miter";
  p.taken = taken;
}

/** Does a branch of a tree lie under this box? False for very many: they would hide all names. */
function strikes(p) {
  const CELL = 6, cells = new Set(), lines = p.strokes.length > MANY_STROKES ? [] : p.strokes;
  const mark = (x, y) => cells.add(Math.floor(x / CELL) * 8192 + Math.floor(y / CELL));
  for (const [x1, y1, x2, y2, bend] of lines) {
    const n = Math.ceil((Math.hypot(x2 - x1, y2 - y1) * (bend ? 1.3 : 1)) / (CELL / 2));
    for (let i = 2; i <= n - 2 && n < 2000; i++) { // not at the ends: names stand beside them
      const t = i / (n || 1), [a, b, c] = bend ? [(1 - t) ** 2, 2 * t * (1 - t), t * t] : [1 - t, 0, t];
      mark(a * x1 + (bend ? b * bend[0] : 0) + c * x2, a * y1 + (bend ? b * bend[1] : 0) + c * y2);
    }
  }
  return (box) => {
    for (let gx = Math.floor((box[0] + 2) / CELL); gx <= Math.floor((box[2] - 2) / CELL); gx++)
      for (let gy = Math.floor((box[1] + 1) / CELL); gy <= Math.floor((box[3] - 1) / CELL); gy++) if (cells.has(gx * 8192 + gy)) return true;
    return false;
  };
}

/** Where a label of width w stands: n, e, s, w of its place, capitals further away; i inside, u upright below, r outwards from a centre. */
function labelAt(p, l, way, w, strong) {
  const wide = l.wide ?? l.half, to = way.toLowerCase(), far = way === to ? 0 : 16;
  if (way === "u") return { x: l.x + l.size * 0.36, y: l.y + l.half + 4, box: [l.x - l.size * 0.5, l.y + l.half + 2, l.x + l.size * 0.5, l.y + l.half + 6 + w] };
  let x = l.x + { e: wide + w / 2 + 4 + far, w: -wide - w / 2 - 4 - far }[to] || l.x;
  let y = l.y + ({ n: -l.half - 4 - far, s: l.half + l.size + 1 + far }[to] ?? l.size * 0.36);
  if (way === "r") {
    const [sin, cos] = [Math.sin(l.turn), Math.cos(l.turn)], out = l.radius + Math.abs(sin) * (w / 2) + Math.abs(cos) * l.size * 0.6;
    [x, y] = [l.x + out * sin, l.y - out * cos + l.size * 0.36];
  }
  if (strong) x = Math.min(p.w - w / 2 - 4, Math.max(w / 2 + 4, x));
  return { x, y, box: [x - w / 2 - 2, y - l.size * 0.85, x + w / 2 + 2, y + l.size * 0.25] };
}

/** The text, with a rim in the colour of the page, so that lines do not strike it through. */
function write(p, l, way, x, y, strong) {
  const { c } = p, t = theme();
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
