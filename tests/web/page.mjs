// The page in a browser: opened from the disk, offline, as its readers do.
// usage: node tests/web/page.mjs REPORT.html CSV-FOLDER [PICTURE-FOLDER]
// Prints "pass NAME" or "fail NAME: why" for each check; tests/report/test_report_page.c reads it.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { addedUp, stateOf } from "../../web/src/amounts.js";
import { axisTitle, withUnit } from "../../web/src/dom.js";
import { aboutTrees } from "../../web/src/judged.js";
import { Browser } from "./browser.mjs";

const [html, csvDir, pictures] = process.argv.slice(2).map((p) => resolve(p));
const url = `file://${html}`;
const document_ = JSON.parse(/id="document">(.*?)<\/script>/s.exec(readFileSync(html, "utf8"))[1]);
const figures = [...document_.experiments, ...document_.runs].flatMap((o) => o.figures || []);
const browser = new Browser();

function must(condition, why) {
  if (!condition) throw new Error(why);
}
const same = (a, b, what) => must(a === b, `${what}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`);

/** The value of an expression once it fits; what it was last after ten minutes: Browsers draw when they find the time. */
async function settled(page, expression, fits) {
  let value;
  for (let i = 0; i < 12000; i++) {
    value = await page.run(expression);
    if (fits(value)) break;
    await new Promise((r) => setTimeout(r, 50));
  }
  return value;
}

async function check(name, f) {
  try {
    await f();
    console.log(`pass ${name}`);
  } catch (fault) {
    console.log(`fail ${name}: ${String(fault.message).replace(/\s+/g, " ")}`);
  }
}

async function opened(view) {
  const page = await browser.page();
  await page.start(view);
  await page.open(url);
  return page;
}

async function keep(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${name}.png`), await page.picture());
}

const scrollThrough = (page) => page.run(`(async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 1400) { scrollTo(0, y); await new Promise((r) => requestAnimationFrame(() => setTimeout(r, 0))); }
  scrollTo(0, 0);
})()`);
const drawn = (page) => page.run(`[...document.querySelectorAll('figure[data-drawn="yes"]')].reduce((a, f) => a + (f.dataset.made ? 0 : Number(f.dataset.figures)), 0)`);

/** Of every figure: kind, and how many shapes of its drawing lie inside its box. */
const contents = (page) => page.run(`[...document.querySelectorAll("figure")].map((f) => {
  const box = (f.querySelector(".drawing") || f).getBoundingClientRect();
  const shapes = [...f.querySelectorAll(".drawing svg path, .drawing svg polyline, .drawing svg text")].filter((s) => {
    const r = s.getBoundingClientRect();
    return r.right > box.left && r.left < box.right && r.bottom > box.top && r.top < box.bottom;
  }).length;
  const painted = [...f.querySelectorAll("canvas")].map((c) => { const d = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 3; i < d.length; i += 4) n += d[i] > 0; return n; });
  return { id: f.id, kind: f.dataset.kind, made: f.dataset.made || "", figures: Number(f.dataset.figures), drawn: f.dataset.drawn, shapes: painted.length ? Math.min(...painted) : shapes, rows: f.querySelectorAll("table.data tbody tr").length };
})`);

async function allShow(page) {
  await scrollThrough(page);
  await settled(page, `document.querySelectorAll('figure:not([data-drawn])').length`, (n) => n === 0);
  await settled(page, `[...document.querySelectorAll("canvas")].filter((c) => !c.dataset.painted).length`, (n) => n === 0);
  const list = await contents(page);
  same(list.filter((f) => f.made === "").reduce((a, f) => a + f.figures, 0), figures.length, "figures on the page");
  const least = { line: 8, time: 8, bar: 6, heatmap: 20, network: 500, ranks: 500 };
  for (const f of list) {
    must(f.drawn === "yes", `${f.id} was not drawn`);
    must(f.kind === "table" || f.kind === "ranking" ? f.rows > 0 : f.shapes >= least[f.kind], `${f.id} is empty (${f.shapes} shapes, ${f.rows} rows)`);
  }
}

async function noOverflow(page, width) {
  const wide = await page.run(`document.documentElement.scrollWidth`);
  must(wide <= width, `the page is ${wide} px wide in a window of ${width}`);
  const out = await page.run(`[...document.querySelectorAll("body *")].filter((e) => !e.closest(".scroll, svg, .skip, .tip") && e.getBoundingClientRect().right > ${width} + 1)
    .map((e) => e.tagName + "." + e.className).slice(0, 5).join(" ")`);
  same(out, "", "elements beyond the window");
}

const quiet = (page) => same(page.complaints.join("; "), "", "complaints of the browser");

/** Lightness of the page's background, 0 to 255. */
const lightness = (page) => page.run(`getComputedStyle(document.body).backgroundColor.match(/\\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0) / 3`);

/** Tabs show one table at a time, heads sort it both ways, and what is left out says why, last. */
async function rankingWorks(page) {
  const of = `document.querySelector('figure[data-kind="ranking"]')`;
  const first = (k) => page.run(`[...${of}.querySelectorAll(".tab-panel")[${k}].querySelectorAll("tbody tr")].map((r) => r.querySelector("th").firstChild.textContent)`);
  const shown = () => page.run(`[...${of}.querySelectorAll(".tab-panel")].filter((p) => p.offsetHeight > 0).map((p) => p.dataset.tab).join()`);
  same(await shown(), "fat tree", "table that is shown first");
  same((await first(0))[0], "isolation", "first row");
  same((await first(0))[3], "=odd", "last row");
  same(await page.run(`${of}.querySelector("tr.left-out td:last-child").textContent`), "needs another network", "reason");
  same(await page.run(`[...${of}.querySelectorAll(".tab-panel")[0].querySelectorAll("td.rank")].map((c) => c.textContent).join(" ")`), "1 =1 3 –", "ranks");
  await page.run(`${of}.querySelectorAll(".tab-panel")[0].querySelectorAll("button.sort")[2].click()`);
  same((await first(0))[0], "isolation", "first row by score");
  await page.run(`${of}.querySelectorAll(".tab-panel")[0].querySelectorAll("button.sort")[2].click()`);
  same((await first(0))[0], "none", "first row by score, the other way");
  same((await first(0))[3], "=odd", "rows without value stay last");
  same(await page.run(`${of}.querySelector('th[aria-sort="ascending"] button').textContent`), "score", "column that sorts");
  await page.run(`${of}.querySelectorAll('[role="tab"]')[1].click()`);
  same(await shown(), "torus", "table after a click");
  same((await first(1))[0], "isolation", "each table has its own order");
  await page.run(`${of}.querySelectorAll('[role="tab"]')[0].click()`);
}

async function desktop() {
  const page = await opened({ width: 1360, height: 900 });
  const total = figures.length;
  await check("lazy", async () => {
    const now = await drawn(page);
    must(now < total, `all ${total} figures were drawn at once`);
  });
  await check("desktop", async () => {
    await allShow(page);
    await noOverflow(page, 1360);
    must((await lightness(page)) > 240, "not light");
    quiet(page);
    await keep(page, "light");
  });
  await check("text_stays_text", async () => {
    must((await page.run("document.title")).startsWith("Coppice: "), "the title was changed by the data");
    same(await page.run(`document.querySelectorAll("main img, main script, main b, main i").length`), 0, "elements made by the data");
    must(await page.run(`document.body.textContent.includes("onerror=")`), "hostile text is missing");
  });
  await check("anchors", async () => {
    const broken = await page.run(`[...document.querySelectorAll('a[href^="#"]')].map((a) => a.getAttribute("href").slice(1)).filter((id) => !document.getElementById(id)).join(" ")`);
    same(broken, "", "links to nowhere");
    const twice = await page.run(`(() => { const ids = [...document.querySelectorAll("[id]")].map((e) => e.id); return ids.filter((id, i) => ids.indexOf(id) !== i).join(" "); })()`);
    same(twice, "", "ids used twice");
  });
  await check("legend", async () => {
    const count = `document.querySelectorAll("#fig-gran1-fig7-off .drawing svg path").length`;
    const before = await page.run(count);
    await page.run(`document.querySelector("#fig-gran1-fig7-off .key").click()`);
    const after = await settled(page, count, (n) => n < before);
    must(after < before, `hiding a curve left ${after} of ${before} shapes`);
    same(await page.run(`document.querySelector("#fig-gran1-fig7-off .key").getAttribute("aria-pressed")`), "false", "aria-pressed");
    await page.run(`document.querySelector("#fig-gran1-fig7-off .key").click()`);
    same(await settled(page, count, (n) => n === before), before, "shapes when shown again");
  });
  await check("hover", async () => {
    const at = await page.run(`(() => { const b = document.querySelector("#fig-gran1-fig7-off .drawing"); b.scrollIntoView({ block: "center" }); const r = b.getBoundingClientRect(); return [r.left + r.width * 0.2, r.top + r.height / 2]; })()`);
    for (const d of [0, 3]) await page.send("Input.dispatchMouseEvent", { type: "mouseMoved", x: at[0] + d, y: at[1] });
    const tip = await settled(page, `document.querySelector("#fig-gran1-fig7-off .tip")?.textContent || ""`, (s) => s !== "");
    must(/time .*ms/.test(tip) && tip.includes("F1") && tip.includes("±") && tip.includes("expected F1"), `the tip says ${tip}`);
  });
  await check("zoom", async () => {
    const labels = `[...document.querySelectorAll("#fig-gran1-fig7-off .drawing svg text")].map((t) => t.textContent).join("|")`;
    const before = await page.run(labels);
    await page.run(`document.querySelector("#fig-gran1-fig7-off .drawing").focus()`);
    for (let i = 0; i < 3; i++) await page.send("Input.dispatchKeyEvent", { type: "keyDown", key: "+", text: "+" });
    must((await settled(page, labels, (s) => s !== before)) !== before, "the axis did not change");
    await page.run(`[...document.querySelectorAll("#fig-gran1-fig7-off .tool")].find((b) => b.textContent === "Reset").click()`);
    same(await settled(page, labels, (s) => s === before), before, "the axis after Reset");
  });
  await check("filter", async () => {
    const rows = `[...document.querySelectorAll("#checks tbody tr")].filter((r) => !r.hidden).length`;
    const all = await page.run(rows);
    await page.run(`(() => { const s = document.querySelector("#checks input"); s.value = "gran1-1 cc off"; s.dispatchEvent(new Event("input")); })()`);
    same(await page.run(rows), 1, "rows found");
    await page.run(`(() => { const s = document.querySelector("#checks input"); s.value = ""; s.dispatchEvent(new Event("input")); document.querySelector("#checks .chip .fail").parentNode.click(); })()`);
    const fails = document_.experiments.flatMap((e) => e.verdicts).filter((v) => v.state === "fail").length;
    same(await page.run(rows), all - fails, "rows without the failed");
    await page.run(`document.querySelector("#checks .chip .fail").parentNode.click()`);
  });
  await check("narrow", async () => {
    const row = `document.querySelector("#check-gran1-10")`;
    must((await page.run(`${row}.lastElementChild.textContent`)).includes("narrow"), "the verdict does not say that it is narrow");
    must((await page.run(`${row}.querySelector(".measured").textContent`)).includes("0.1 to 0.9"), "no range over the seeds");
    same(await page.run(`[...${row}.querySelectorAll(".items .sign")].pop().title`), "not judged", "what is only shown");
    same(await page.run(`document.querySelector("#check-gran1-1").lastElementChild.textContent.includes("narrow")`), false, "narrow");
  });
  await check("first_screen", async () => {
    const top = await page.run(`document.querySelector("figure").getBoundingClientRect().top + scrollY`);
    must(top < 1400, `the first picture is ${top} px down`);
    same(await page.run(`[...document.querySelectorAll(".fold-checks")].filter((d) => d.open).length`), 0, "unfolded lists of checks");
  });
  await check("runs_compared", async () => {
    const text = await page.run(`document.querySelector("#runs table").textContent`);
    must(text.includes("queueing.kind") && text.includes("voqnet"), "the setting by which two runs differ is missing");
    must((await page.run(`document.querySelector("#runs .legend").textContent`)).includes("voqnet"), "curves of runs are not named by what differs");
    same(await page.run(`document.querySelectorAll("#runs figure[data-kind=network] canvas").length`), 2, "networks side by side");
  });
  await check("curves_added_up", () => {
    const curves = [{ points: [[0, 2], [1, 4]] }, { points: [[0, 1]] }];
    same(JSON.stringify(addedUp(curves, 4)), "[[0,3],[1,4]]", "Gbit/s of two entries");
    same(JSON.stringify(addedUp([{ points: [[0, 0.5]], nodes: 1 }, { points: [[0, 0.25]], nodes: 2 }], 4)), "[[0,0.25]]", "one sender and two of four hosts");
    same(addedUp([], 4), null, "no curve");
  });
  await check("unsteady_values", async () => {
    const about = (name) => page.run(`(() => { const f = document.querySelector('figure[id$="${name}"]'); f.scrollIntoView(); return f.textContent; })()`);
    const hollow = `[...document.querySelectorAll('figure[id$="saturation"] svg path')].filter((p) => p.getAttribute("fill") === "#ffffff" && Number(p.getAttribute("stroke-width")) > 0).length`;
    must((await about("saturation")).includes("joined by dots: not steady"), "no word below the curves");
    must((await about("saturation")).includes("No value for by one at 90 and 2 more: run `load 0.9` deadlock"), "no reason for what is missing");
    same(await settled(page, hollow, (n) => n >= 5), 5, "hollow marks");
    must((await about("patterns")).includes("Hollow bars: not steady"), "no word below the bars");
    await settled(page, `document.querySelector('figure[id$="surface"]').textContent`, (t) => t.includes("*"));
    must((await about("surface")).includes("an asterisk: not steady"), "no word below the heat map");
    await page.run("scrollTo(0, 0)");
  });
  await check("steady_or_not", () => {
    const word = (o) => stateOf(new Map(Object.entries(o))).word;
    same(word({ offered_gbps: 100, accepted_gbps: 96, saturated: 0, packets_piled_up: 0 }), "steady", "what keeps up");
    same(word({ offered_gbps: 100, accepted_gbps: 18, saturated: 0, packets_piled_up: 1500 }), "not settled, 1500 packets more in the network than before", "what fills");
    same(word({ offered_gbps: 100, accepted_gbps: 80, saturated: 0 }), "80 % of it arrived", "less than is offered, of an older version");
    same(word({ offered_gbps: 100, accepted_gbps: 80, saturated: 1, packets_piled_up: 5 }), "saturated, not steady", "what waits at sources");
  });
  await check("one_spelling", async () => {
    same(axisTitle({ label: "time", unit: "us" }), "time (µs)", "an axis");
    same(withUnit("3", "us"), "3\u00a0µs", "a value");
    same(await page.run(`/\\bus\\b/.test([...document.querySelectorAll("figure, table")].map((n) => n.textContent).join(" "))`), false, "us beside µs");
  });
  await check("trees_compared", () => {
    const run = (step, ...kinds) => ({ config: `run:\n  tree_sample: ${step}\n`, figures: [{ kind: "network", trees: kinds.map((kind) => ({ kind })) }] });
    same(aboutTrees([run("5 us", "silent"), run("5 us", "moving", "unjudged")]), null, "equally often, both judged");
    must(aboutTrees([run("5 us", "silent"), run("100 us", "silent")]).includes("run.tree_sample 5 us and 100 us"), "looked at unequally often");
    must(aboutTrees([run("5 us", "silent"), run("5 us", "unjudged")]).includes("fewer than 4 samples"), "one of them unjudged");
    same(aboutTrees([run("5 us"), { config: "", figures: [] }]), null, "a run without a network");
  });
  await check("ranking", () => rankingWorks(page));
  await check("player", () => player(page));
  await check("ranks", () => ranks(page));
  await check("labels", async () => {
    const bad = await page.run(`(() => { const out = []; for (const v of window.coppiceViewers) for (const p of v.panes) { const t = p.painter.taken || []; t.forEach((a, i) => {
      if (a[0] < 0 || a[1] < 0 || a[2] > p.painter.w || a[3] > p.painter.h) out.push("cut");
      t.slice(0, i).forEach((b) => { if (a[0] < b[2] && a[2] > b[0] && a[1] < b[3] && a[3] > b[1]) out.push("collide"); }); }); } return out.join(" "); })()`);
    same(bad, "", "labels");
  });
  await check("csv", () => sameCsv(page));
  await check("toggle", async () => {
    await page.run(`document.querySelector(".theme").click()`);
    must((await lightness(page)) < 60, "not dark after a click");
    await page.run(`document.querySelector(".theme").click()`);
    must((await lightness(page)) > 240, "not light after two clicks");
    quiet(page);
  });
}

/** Two panes on one clock; a victim's chain; a tree alone; zoom that both follow. */
async function player(page) {
  const v = `window.coppiceViewers.find((v) => v.panes.length === 2 && v.slider && v.panes[0].source.trees.length)`;
  must(await page.run(`Boolean(${v})`), "no pair of runs with a clock");
  await page.run(`${v}.seek(${v}.begin)`);
  const early = await page.run(`${v}.panes[0].trees.reduce((a, t) => a + t.members.length, 0)`);
  await page.run(`${v}.seek(${v}.end)`);
  const late = await page.run(`${v}.panes[0].trees.reduce((a, t) => a + t.members.length, 0)`);
  must(late > early, `the tree did not grow: ${early} links, then ${late}`);
  const chain = await page.run(`(() => { const p = ${v}.panes[0], up = p.painter.ready.up, m = p.trees[0].members.find((m) => p.layout.nodes[p.source.network.ports[m.port].from].host);
    p.choose(p.source.network.ports[m.port].from); p.draw(); return [p.chain.length, p.told.textContent]; })()`);
  must(chain[0] >= 2 && /waits for .*the root/.test(chain[1]), `the chain of a held host is ${JSON.stringify(chain)}`);
  const victim = await page.run(`(() => { const p = ${v}.panes[0], up = p.painter.ready.up, free = (h) => !p.trees.some((t) => t.members.some((m) => m.port === up[p.painter.hostNode(h)]));
    const t = p.trees.find((t) => t.victims?.length), h = t && [...t.victims].filter((_, i) => i % 2 === 0).find(free);
    if (h === undefined) return null; p.choose(p.painter.hostNode(h)); p.draw(); return [p.chain.length, p.told.textContent]; })()`);
  must(victim !== null && victim[0] >= 1 && /is a victim of tree .* meets it at .*the root/.test(victim[1]), `the chain of a victim whose own link is free is ${JSON.stringify(victim)}`);
  const lists = await page.run(`${v}.panes.map((p) => p.list.textContent)`);
  must(/\d contributors?, \d+ victim flows? .*silent/.test(lists[0]), `the list of trees says ${lists[0]}`);
  must(lists[1].includes("contributors and victims not counted") && lists[1].includes("too few to judge") && !/\b0 contributors/.test(lists[1]), `a tree that nobody counted is ${lists[1]}`);
  const port = await page.run(`${v}.panes[0].portRows(${v}.panes[0].trees[0].members[0].port).map((r) => r.join(" ")).join("; ")`);
  must(/flows that wait 5; .* → .* 39\.1 KiB; .* → .* 19\.5 KiB; .*and 3 more/.test(port), `the root's port says ${port}`);
  await page.run(`${v}.panes[0].open === undefined || ${v}.panes[0].key(new KeyboardEvent("keydown", { key: "+" }))`);
  must(await page.run(`${v}.panes[1].painter.t.k > 1.2 && ${v}.panes[0].painter.t.k === ${v}.panes[1].painter.t.k`), "the panes do not zoom together");
  await page.run(`${v}.panes.forEach((p) => p.reset())`);
  const tip = await page.run(`(() => { const p = ${v}.panes[0], s = p.layout.switches[0], [x, y] = p.layout.at[s]; p.node.scrollIntoView({ block: "center" }); const r = p.canvas.getBoundingClientRect();
    p.point({ clientX: r.left + p.painter.x(x), clientY: r.top + p.painter.y(y) }); return p.tip.textContent; })()`);
  must(/switch s0/.test(tip) && /waiting/.test(tip) && /used/.test(tip), `the tip says ${tip}`);
}

/** The timeline: what a rank does, keys that zoom time and rows, the critical path. */
async function ranks(page) {
  const k = "window.coppiceRanks[0]";
  must(await page.run(`Boolean(${k})`), "no timeline of ranks");
  same(await page.run(`${k}.spec.jobs.map((j) => j.name).join()`), "train,shuffle", "jobs");
  must(/critical path: .*% network/.test(await page.run(`document.querySelector("#run-5 .tiles").textContent`)), "the completion of jobs is not among the large numbers");
  const tip = await page.run(`(() => { const k = ${k}, l = k.lanes.find((l) => l.row === 3); k.node.scrollIntoView({ block: "center" }); const r = k.canvas.getBoundingClientRect();
    k.point({ clientX: r.left + k.x(10000), clientY: r.top + l.y + l.height / 2 }); return k.tip.textContent; })()`);
  must(/train, rank 3/.test(tip) && /computes for/.test(tip) && /waiting/.test(tip), `the tip says ${tip}`);
  const wide = `${k}.x(20000) - ${k}.x(10000)`, before = await page.run(wide);
  await page.run(`${k}.key(new KeyboardEvent("keydown", { key: "+" }))`);
  must((await page.run(wide)) > 1.3 * before, "time does not zoom");
  await page.run(`${k}.reset()`);
  same(Math.round(await page.run(wide)), Math.round(before), "after the reset");
  const painted = `(() => { const c = document.createElement("canvas"), from = ${k}.canvas; [c.width, c.height] = [from.width, from.height]; const x = c.getContext("2d"); x.drawImage(from, 0, 0); const d = x.getImageData(0, 0, c.width, c.height).data; let n = 0; for (let i = 0; i < d.length; i += 4) n += d[i] === 0xc2 && d[i + 1] === 0x18 && d[i + 2] === 0x5b; return n; })()`;
  same(await page.run(painted), 0, "points of a path that is not shown");
  await page.run(`${k}.pathButton.click()`);
  must((await page.run(painted)) > 100, "the critical path is not drawn");
  await page.run(`${k}.pathButton.click()`);
}

/** The files of the page and those of `coppice report --csv` hold the same cells. */
async function sameCsv(page) {
  const ours = await page.run(`(async () => {
    const texts = [], real = URL.createObjectURL;
    URL.createObjectURL = (blob) => { texts.push(blob.text()); return "#"; };
    HTMLAnchorElement.prototype.click = function () {};
    for (const f of document.querySelectorAll("figure:not([data-made])")) [...f.querySelectorAll(".tool")].find((b) => b.textContent === "CSV").click();
    delete HTMLAnchorElement.prototype.click;
    URL.createObjectURL = real;
    return Promise.all(texts);
  })()`);
  const cells = (text) => text.split(/[,\r\n]/).map((c) => (c !== "" && Number.isFinite(Number(c)) ? Number(Number(c).toPrecision(9)) : c)).join("|");
  const files = readdirSync(csvDir).filter((n) => n !== "verdicts.csv");
  same(files.length, figures.length, "files");
  const theirs = files.map((n) => cells(readFileSync(join(csvDir, n), "utf8"))).sort();
  const mine = ours.map(cells).sort();
  mine.forEach((text, i) => must(text === theirs[i], `a file differs: ${text.slice(0, 120)} and ${theirs[i].slice(0, 120)}`));
}

async function phone() {
  const page = await opened({ width: 360, height: 780, phone: true });
  await check("phone", async () => {
    await noOverflow(page, 360);
    await allShow(page);
    await noOverflow(page, 360);
    quiet(page);
    await keep(page, "phone");
  });
  await check("phone_open", async () => {
    await page.run(`document.querySelectorAll("details").forEach((d) => { d.open = true; })`);
    await noOverflow(page, 360);
  });
}

/** Paper first: most figures have not been drawn yet. */
async function paperAndDark() {
  const page = await opened({ width: 1360, height: 900, dark: true });
  await check("paper", async () => {
    await page.run(`addEventListener("beforeprint", () => { window.atPrint = { drawn: [...document.querySelectorAll('figure[data-drawn="yes"]')].reduce((a, f) => a + (f.dataset.made ? 0 : Number(f.dataset.figures)), 0),
      closed: document.querySelectorAll("details:not([open]):not(.licences)").length, theme: document.documentElement.dataset.theme,
      widest: Math.max(...[...document.querySelectorAll(".drawing svg, canvas")].map((s) => s.clientWidth)) }; })`);
    const pdf = await page.pdf();
    if (pictures) writeFileSync(join(pictures, "paper.pdf"), pdf);
    same(pdf.subarray(0, 5).toString("latin1"), "%PDF-", "first bytes");
    const at = await page.run("window.atPrint");
    must(at, "the page was not told of the printing");
    same(at.drawn, figures.length, "figures drawn for paper");
    same(at.closed, 0, "folded parts on paper");
    same(at.theme, "light", "colours on paper");
    must(at.widest <= 690, `a drawing of ${at.widest} px does not fit on A4`);
    const pages = (pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) || []).length;
    must(pages >= document_.experiments.length + document_.runs.length, `only ${pages} pages`);
    same(await page.run("document.documentElement.dataset.theme"), "dark", "colours after printing");
    quiet(page);
  });
  await check("dark", async () => {
    must((await lightness(page)) < 60, "not dark");
    await allShow(page);
    const text = await page.run(`(() => { const t = document.querySelector(".drawing svg text"); return (t.getAttribute("fill") || getComputedStyle(t).fill); })()`);
    must(!/^#(0|1|2)/.test(text), `text of figures is ${text} on a dark page`);
    quiet(page);
    await keep(page, "dark");
  });
}

try {
  await desktop();
  await phone();
  await paperAndDark();
} finally {
  await browser.close();
}
