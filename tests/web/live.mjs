// The live view in a browser, as its users meet it.
// usage: node tests/web/live.mjs COPPICE FOLDER [PICTURE-FOLDER]
// Prints "pass NAME" or "fail NAME: why" for each check; tests/cli/test_live_page.c reads it. Nothing here depends on
// how fast the machine is: a simulation that is to be met in the middle waits for its browser.
import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { Browser } from "./browser.mjs";

const [program, folder, pictures] = process.argv.slice(2).map((p) => resolve(p));
const browser = new Browser();
const YAML = `name: <b>two</b> switches
run: {duration: 400 ms, tree_sample: 20 us}
topology: {kind: chain, hosts: [3, 4]}
link: {rate: 10 Gbit/s, trunk_rate: 20 Gbit/s, delay: 20 ns}
traffic:
  - {name: hot, from: [1, 5, 6], pattern: fixed, to: 4}
  - {name: victim, from: [0], pattern: fixed, to: 3}
`;

function must(condition, why) {
  if (!condition) throw new Error(why);
}
const same = (a, b, what) => must(a === b, `${what}: ${JSON.stringify(a)} instead of ${JSON.stringify(b)}`);
const nap = (ms) => new Promise((r) => setTimeout(r, ms));

async function until(page, expression, fits, what) {
  let value;
  for (let i = 0; i < 24000; i++) {
    value = await page.run(expression);
    if (fits(value)) return value;
    await nap(25);
  }
  throw new Error(`${what}: still ${JSON.stringify(value)}`);
}

async function check(name, f) {
  try {
    await f();
    console.log(`pass ${name}`);
  } catch (fault) {
    console.log(`fail ${name}: ${String(fault.message).replace(/\s+/g, " ")}`);
  }
}

/** A program with a view: its address, what it says, and when it ends. */
function start(...words) {
  const child = spawn(program, words, { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
  const it = { child, out: "", err: "", status: null };
  child.stdout.setEncoding("utf8").on("data", (d) => { it.out += d; });
  it.url = new Promise((found, lost) => {
    child.stderr.setEncoding("utf8").on("data", (d) => {
      it.err += d;
      const m = /http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{32}\//.exec(it.err);
      if (m) found(m[0]);
    });
    child.on("exit", () => lost(new Error(`no address: ${it.err}`)));
  });
  it.ended = new Promise((r) => child.on("exit", (code) => { it.status = code; r(code); }));
  return it;
}

async function opened(url, view = { width: 1360, height: 900 }) {
  const page = await browser.page();
  await page.start({ ...view, online: true });
  await page.open(url);
  return page;
}

const V = "window.coppiceViewers[0]";
const STATE = "document.documentElement.dataset.state";
const arrived = (page) => page.run(`${V}.panes[0].source.numbers.length && ${V}.panes[0].source.numbers.slice(-1)[0]`);
const press = (page, text) => page.run(`[...document.querySelectorAll("button")].find((b) => b.textContent.includes(${JSON.stringify(text)})).click()`);

async function keep(page, name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${name}.png`), await page.picture(false));
}

const noOverflow = async (page, width) => must((await page.run("document.documentElement.scrollWidth")) <= width, "the page is wider than its window");
/** Complaints of the browser, but for the connections that this page is made for. */
const quiet = (page, url) => same(page.complaints.filter((c) => !c.startsWith(`asks for ${url}`) && !c.startsWith(`asks for ${url.replace("http", "ws")}`) && !/favicon/.test(c)).join("; "), "", "complaints of the browser");

const choose = (page, speed) => page.run(`(() => { const s = document.querySelector(".net-speed"); s.value = "${speed}"; s.dispatchEvent(new Event("change")); })()`);

/** A run that waits for us, and then makes ten frames a second: no machine is too slow or too fast for that. */
async function running() {
  const run = start("run", "two.yaml", "--quiet", "--live=paused"), url = await run.url;
  const page = await opened(url);
  await check("live_opens", async () => {
    await until(page, STATE, (s) => s === "paused", "state");
    same(await arrived(page), 0, "the frame at which it waits");
    same(await page.run(`document.querySelectorAll("h1 b").length`), 0, "elements made by a name");
    must((await page.run(`document.querySelector("h1").textContent`)).includes("<b>two</b>"), "the name is missing");
    await until(page, `Number(document.querySelector("canvas")?.dataset.painted) || 0`, (n) => n > 0, "pictures painted");
  });
  await check("live_frames", async () => {
    const first = await arrived(page);
    for (let i = 1; i < 5; i++) {
      await press(page, "Step");
      await until(page, `${V}.panes[0].source.numbers.slice(-1)[0]`, (n) => n === first + i, "a step");
    }
    await choose(page, 100);
    await press(page, "Go on");
    await until(page, STATE, (s) => s === "running", "state");
    await until(page, `${V}.panes[0].source.numbers.slice(-1)[0]`, (n) => n > first + 5, "frames that arrive");
    await until(page, `${V}.panes[0].trees.length`, (n) => n === 1, "trees in the picture");
    await until(page, `${V}.panes[0].trees[0].members.length`, (n) => n === 6, "links of the whole tree");
    same(await page.run(`(() => { const s = ${V}.panes[0].source, t = s.trees[0]; return t.root + " " + t.root_to; })()`), "s1.1 h4", "the root");
    must((await page.run(`document.querySelector(".net-tree").textContent`)).includes("root s1.1 → h4"), "the tree is not in the list");
    must(/1$/.test(await page.run(`[...document.querySelectorAll(".live-tiles dd")][2].textContent.trim()`)), "no tree among the large numbers");
  });
  await check("live_pause", async () => {
    await press(page, "Pause");
    await until(page, STATE, (s) => s === "paused", "state");
    // What had been on its way may still come; then nothing does.
    let last = await arrived(page);
    for (let still = 0; still < 40; still++) {
      await nap(50);
      const now = await arrived(page);
      if (now !== last) still = 0;
      last = now;
    }
    await press(page, "Step");
    const second = await until(page, `${V}.panes[0].source.numbers.slice(-1)[0]`, (n) => n > last, "a step");
    same(second, last + 1, "frames of a step");
    await nap(300);
    same(await arrived(page), second, "frames after a step");
    await keep(page, "live-two");
  });
  await check("live_look_back", async () => {
    await page.run(`(() => { const s = document.querySelector(".net-slider"); s.value = "0"; s.dispatchEvent(new Event("input")); })()`);
    await until(page, `${V}.now === ${V}.panes[0].source.times[0]`, Boolean, "the first picture that came");
    const chain = await page.run(`(async () => { await ${V}.seek(${V}.end); const p = ${V}.panes[0]; p.choose(p.layout.nodes.findIndex((n) => n.name === "h0")); return p.told.textContent; })()`);
    must(/^h0 is a victim of tree 1: .*the root, which sends to h4/.test(chain), `the chain of the victim says ${chain}`);
  });
  await check("live_browser_gone", async () => {
    // The browser vanishes in a pause: the run must end by itself, and wait with its pictures.
    await page.close();
    const again = await opened(url);
    await until(again, STATE, (s) => s === "over", "the run that nobody holds");
    quiet(again, url);
    must(run.out.includes("tree 1: root s1.1 -> h4"), "the run has shown no result");
    same(run.status, null, "the program before it was closed");
    same(await again.run(`${V}.panes[0].source.times.length`), 20000, "frames that can be played");
    await again.run(`${V}.seek(${V}.panes[0].source.times[4])`);
    same(await again.run(`${V}.panes[0].trees.length`), 1, "trees at 100 us");
    must((await again.run(`document.querySelector(".net-tree").textContent`)).includes("silent"), "the tree has not been judged");
    await keep(again, "live-over");
    await press(again, "Close");
    same(await run.ended, 0, "exit status");
    await until(again, STATE, (s) => s === "closed", "state");
    await again.close();
  });
}

async function goingOn() {
  const run = start("run", "two.yaml", "--quiet", "--live=paused", "--set", "run.duration=4 ms"), url = await run.url, page = await opened(url);
  await check("live_goes_on", async () => {
    await until(page, STATE, (s) => s === "paused", "state");
    const before = await arrived(page);
    await press(page, "Go on");
    await until(page, `${V}.panes[0].source.numbers.slice(-1)[0]`, (n) => n > before, "frames after the pause");
    await until(page, STATE, (s) => s === "over", "state");
    quiet(page, url);
    await press(page, "Close");
    same(await run.ended, 0, "exit status");
    await page.close();
  });
}

async function stored() {
  const run = start("run", "two.yaml", "--quiet", "--db", "r.db", "--set", "run.trees=yes", "--set", "run.duration=2 ms");
  run.url.catch(() => {});
  await run.ended;
  const view = start("view", "r.db"), url = await view.url;
  await check("view_plays", async () => {
    const page = await opened(url, { width: 390, height: 800, phone: true });
    await until(page, STATE, (s) => s === "over", "state");
    await noOverflow(page, 390);
    await choose(page, 4);
    await press(page, "Play");
    await until(page, `${V}.now`, (t) => t > 0.5, "the time that is played");
    await press(page, "Pause");
    const now = await page.run(`${V}.now`);
    await press(page, "Step");
    await until(page, `${V}.now`, (t) => t > now && t < now + 0.0201, "a step of one frame");
    await until(page, `${V}.panes[0].trees[0]?.victims?.length`, (n) => n === 2, "the victim's flow");
    same(await page.run(`[...${V}.panes[0].trees[0].contributors].join()`), "1,5,6", "contributors");
    const rows = await page.run(`(() => { const p = ${V}.panes[0]; return p.portRows(p.source.network.ports.findIndex((x) => x.name === "s1.1")).map((r) => r.join(" ")).join("; "); })()`);
    must(/flows that wait 3; /.test(rows) && [1, 5, 6].every((h) => rows.includes(`h${h} → h4 `)), `the port says ${rows}`);
    quiet(page, url);
    await keep(page, "view-phone");
    await press(page, "Close");
    same(await view.ended, 0, "exit status");
  });
}

const newest = "window.coppiceViewers.slice(-1)[0]";
const pick = (page, which, run) => page.run(`(() => { const s = document.querySelectorAll(".live-pick select")[${which}]; s.value = "${run}"; s.dispatchEvent(new Event("change")); })()`);

/** Two stored runs that differ in one setting, and one of another network: chosen, side by side on one clock, apart again. */
async function chosen() {
  for (const more of [["queueing.kind=voqsw"], ["queueing.kind=voqnet"]]) {
    const run = start("run", "two.yaml", "--quiet", "--db", "two.db", "--set", "run.trees=yes", "--set", "run.duration=1 ms", ...more.flatMap((m) => ["--set", m]));
    run.url.catch(() => {});
    same(await run.ended, 0, "exit status of a run");
  }
  const view = start("view", "two.db"), url = await view.url, page = await opened(url);
  await check("view_chooses", async () => {
    await until(page, STATE, (s) => s === "over", "state");
    same(await page.run(`[...document.querySelectorAll(".live-pick select")[0].options].map((o) => o.textContent).join("; ")`), "2: queueing voqnet; 1: queueing voqsw", "runs to choose from");
    same(await page.run(`${newest}.panes.length + " " + ${newest}.panes[0].source.run`), "1 2", "the newest run alone");
    await pick(page, 0, 1);
    await until(page, `${newest}.panes[0].source.run`, (r) => r === 1, "the run that was chosen");
    await page.run(`${newest}.seek(${newest}.end)`);
    await until(page, `${newest}.panes[0].trees[0]?.victims?.length`, (n) => n === 2, "the victim of the older run");
  });
  await check("view_two", async () => {
    await pick(page, 1, 2);
    await until(page, `${newest}.panes.map((p) => p.source.run).join()`, (r) => r === "1,2", "two runs");
    same(await page.run(`document.querySelectorAll("canvas").length`), 2, "pictures");
    for (const t of [0.3, 0.7, 1]) {
      await page.run(`${newest}.seek(${t})`);
      same(await page.run(`${newest}.panes.map((p) => p.trees.map((t) => t.victims?.length ?? -1).join("+")).join(" ")`), "2 0", `victims of both at ${t} ms`);
    }
    same(await page.run(`[...document.querySelectorAll(".net-head strong")].map((s) => s.textContent).join("; ")`), "1: queueing voqsw; 2: queueing voqnet", "titles");
    quiet(page, url);
    await keep(page, "view-two");
    await pick(page, 1, 0);
    await until(page, `${newest}.panes.length`, (n) => n === 1, "one run again");
  });
  await check("view_survives_nonsense", async () => {
    await page.run(`(() => { const s = new WebSocket("ws://" + location.host + location.pathname + "ws", "coppice"); s.onopen = () => { for (const m of ['{"do":"open","run":99}', '{"do":"open","run":-1,"pane":7}', '{"do":"seek","run":99,"value":3}', '{"do":"seek","run":1,"value":999999}', '{"do":"open","run":"x"}', '{"do":"open"}', '[]']) s.send(m); setTimeout(() => s.close(), 200); }; })()`);
    await nap(400);
    same(view.status, null, "the program after nonsense");
    await page.run(`${newest}.seek(0.5)`);
    await until(page, `${newest}.panes[0].trees.length`, (n) => n === 1, "a frame after nonsense");
    await press(page, "Close");
    same(await view.ended, 0, "exit status");
  });
}

try {
  writeFileSync(join(folder, "two.yaml"), YAML);
  await running();
  await goingOn();
  await stored();
  await chosen();
} catch (fault) {
  console.log(`fail all: ${fault.stack}`);
} finally {
  await browser.close();
}
