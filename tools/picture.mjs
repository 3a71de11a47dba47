// The README's pictures, from a report page with two runs that stored their frames (`make demo` makes one):
// the congestion trees, which stand without control and are cut back with it, as an animated GIF, and a still.
// usage: node tools/picture.mjs REPORT.html NODE_MODULES OUT.gif OUT.png
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { Browser } from "../tests/web/browser.mjs";

const [html, modules, gif, png] = process.argv.slice(2).map((p) => resolve(p));
const { GIFEncoder, applyPalette, quantize } = createRequire(join(modules, "x.js"))("gifenc");
const WIDTH = 960, STEPS = 22, DELAY = 260, HOLD = 2500; // px, frames, ms, ms at the end
const COLOURS = 63; // and one for what stays as it was
if (!readFileSync(html, "utf8").includes('"frames":')) throw new Error(`${html}: no run in it has frames; run it with run.trees: yes`);

/** Both panes with their titles and the time, as pixels. */
const shoot = (ms) => `(async () => {
  const v = window.coppiceViewers.find((x) => x.panes.length === 2 && x.slider);
  await v.seek(${ms});
  const w = ${WIDTH}, gap = 12, pane = Math.floor((w - gap) / 2), head = 26;
  v.panes.forEach((p) => p.size(pane, p.wanted(pane)));
  const h = Math.max(...v.panes.map((p) => p.height)) + head;
  const out = document.createElement("canvas");
  out.width = w;
  out.height = h;
  const c = out.getContext("2d", { willReadFrequently: true });
  c.fillStyle = "#ffffff";
  c.fillRect(0, 0, w, h);
  c.fillStyle = "#1d2329";
  c.font = "600 14px sans-serif";
  v.panes.forEach((p, i) => {
    c.drawImage(p.canvas, i * (pane + gap), head, pane, p.height);
    c.fillText(p.caption || p.head.querySelector("strong").textContent, i * (pane + gap) + 6, 18);
  });
  c.font = "13px sans-serif";
  c.fillStyle = "#5c6670";
  c.textAlign = "right";
  c.fillText(Number(${ms}).toFixed(1) + " ms", w - 6, 18);
  const d = c.getImageData(0, 0, w, h).data;
  let text = "";
  for (let i = 0; i < d.length; i += 32768) text += String.fromCharCode(...d.subarray(i, i + 32768));
  return [w, h, btoa(text), out.toDataURL("image/png")];
})()`;

const browser = new Browser();
try {
  const page = await browser.page();
  await page.start({ width: 1360, height: 900 });
  await page.open(`file://${html}`);
  for (let i = 0; i < 100 && !(await page.run("Boolean(window.coppiceViewers?.some((x) => x.panes.length === 2 && x.slider))")); i++) {
    await page.run(`document.querySelector("figure[data-figures='2']")?.scrollIntoView()`);
    await new Promise((r) => setTimeout(r, 100));
  }
  await page.run(`(() => { const v = window.coppiceViewers.find((x) => x.panes.length === 2 && x.slider); ["without control", "with InfiniBand congestion control"].forEach((t, i) => { v.panes[i].caption = t; }); })()`);
  const [begin, end] = await page.run("(() => { const v = window.coppiceViewers.find((x) => x.panes.length === 2 && x.slider); return [v.begin, v.end]; })()");
  const film = GIFEncoder();
  let still = null, palette = null, before = null;
  // One palette for all: that of a moment at which everything is to be seen, and of the end, at which much is pale.
  const moments = [];
  for (const part of [0.3, 1]) moments.push(Buffer.from((await page.run(shoot(begin + (end - begin) * part)))[2], "base64"));
  palette = quantize(new Uint8Array(Buffer.concat(moments)), COLOURS);
  palette[palette.reduce((best, c, k) => (c[0] + c[1] + c[2] > palette[best][0] + palette[best][1] + palette[best][2] ? k : best), 0)] = [255, 255, 255]; // the page is white
  for (let i = 0; i <= STEPS; i++) {
    // Trees grow fast at first: the beginning is shown more slowly than the rest.
    const ms = begin + (end - begin) * (i / STEPS) ** 1.6;
    const [w, h, pixels, url] = await page.run(shoot(ms));
    const data = new Uint8Array(Buffer.from(pixels, "base64"));
    const index = applyPalette(data, palette), same = COLOURS;
    const shown = before ? index.map((c, k) => (c === before[k] ? same : c)) : index;
    film.writeFrame(shown, w, h, { palette: [...palette, ...Array(COLOURS + 1 - palette.length).fill([0, 0, 0])], delay: i === STEPS ? HOLD : DELAY, transparent: Boolean(before), transparentIndex: same, dispose: 1 });
    before = index;
    still = url;
  }
  film.finish();
  writeFileSync(gif, film.bytes());
  writeFileSync(png, Buffer.from(still.split(",")[1], "base64"));
  console.log(`${gif}: ${Math.round(film.bytes().length / 1024)} KiB; ${png}`);
} finally {
  await browser.close();
}
