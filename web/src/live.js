// The page of a run that goes on, or of a stored one: the same viewer as in the report, fed by the program over a
// WebSocket. The page is served by that program, under an address with a secret in it.
import { bytesText, sizeUnit, timeText } from "./amounts.js";
import { el, fmt } from "./dom.js";
import { isDarkNow, onTheme, startTheme, toggleTheme } from "./theme.js";
import { runLabels } from "./labels.js";
import { LiveSource, readFrame } from "./view/live.js";
import { heldBy } from "./view/pane.js";
import { Viewer } from "./view/viewer.js";

const socket = new WebSocket(`ws://${location.host}${location.pathname}ws`, "coppice");
socket.binaryType = "arraybuffer";
const say = (what, value, more) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ do: what, ...(value === undefined ? {} : { value }), ...more }));
};
const AGAIN_MS = 700; // another browser's wish may have replaced ours

const state = el("span", { class: "live-state", role: "status" }, "connecting …");
const title = el("h1", {}, "Coppice");
const facts = el("span", {});
const numbers = el("dl", { class: "tiles large live-tiles" });
const colours = el("button", { type: "button", class: "tool theme", onclick: toggleTheme });
const closing = el("button", { type: "button", class: "tool theme", title: "End the view; a run that goes on is not stopped", onclick: () => { say("close"); setTimeout(() => socket.close(), 500); } }, "Close");
const pick = el("div", { class: "net-pick live-pick", hidden: true });
let source = null, viewer = null, network = null;
let runs = [], wanted = [], got = new Map(); // stored runs; numbers of those to be shown; number -> source

function build() {
  document.getElementById("top").append(el("div", {}, el("p", { class: "over" }, "coppice"), title, el("p", { class: "facts-line" }, facts, state)), el("div", { class: "live-buttons" }, colours, closing));
  document.getElementById("main").replaceChildren(pick, numbers);
  const name = () => { colours.textContent = isDarkNow() ? "Light" : "Dark"; };
  onTheme(name);
  name();
}

function tile(label, value, unit, note) {
  return el("div", {}, el("dt", {}, label), el("dd", {}, value, unit ? el("span", { class: "unit" }, ` ${unit}`) : null), el("p", { class: "tile-note" }, note || "\u00a0"));
}

/** What a pane shows now. */
function sums({ frame: f, trees }, { network: net }) {
  let fullest = 0, waiting = 0;
  f.waiting.forEach((w, i) => { waiting += w; if (w > f.waiting[fullest]) fullest = i; });
  const port = net.ports[fullest], victims = new Set(trees.flatMap((t) => [...(t.victims || [])].filter((_, i) => i % 2 === 0)));
  return { waiting, port: port ? `${port.name} → ${port.toName}` : "", trees: trees.length, held: heldBy(trees), victims: victims.size };
}

/** Three numbers; of two runs both, left and right. */
function count() {
  if (!viewer?.panes.every((p) => p.frame)) return;
  const all = viewer.panes.map((p) => sums(p, p.source)), [one] = all, two = all.length > 1;
  const { units } = viewer, scale = sizeUnit(Math.max(...all.map((s) => s.waiting)), units);
  const both = (f) => all.map(f).join(" | ");
  numbers.replaceChildren(
    tile("simulated", ...timeText(viewer.now, network.duration / 1e6, units).split("\u00a0"), `of ${timeText(network.duration / 1e6, network.duration / 1e6, units)}`),
    tile("waiting at switches", both((s) => fmt(s.waiting / scale[0], 3)), scale[1], two ? "left | right" : one.waiting > 0 ? `most for ${one.port}` : "nothing waits"),
    tile("congestion trees", both((s) => fmt(s.trees)), "", one.trees + (all[1]?.trees ?? 0) === 0 ? (viewer.panes.some((p) => p.source.trees.length) ? "none now" : source?.running ? "none found yet" : "none found") : two ? `${both((s) => bytesText(s.held, units))} held` : `${bytesText(one.held, units)} held, ${fmt(one.victims)} host${one.victims === 1 ? " is a victim" : "s are victims"}`));
}

function tellState() {
  const words = socket.readyState > 1 ? (source?.running ? "closed; the run goes on without this page" : "closed: this page keeps what it has got")
    : !source ? "connecting …" : source.running ? (source.paused ? "paused" : "the simulation runs") : "over: any part of it can be played";
  state.textContent = words;
  document.documentElement.dataset.state = socket.readyState > 1 ? "closed" : !source ? "connecting" : source.running ? (source.paused ? "paused" : "running") : "over";
  closing.hidden = socket.readyState > 1;
}

/** A viewer of one or two sources, in place of what was there. */
function draw(sources, titles) {
  source = sources[0];
  const next = new Viewer(sources, titles);
  next.onshow = count;
  next.onstate = tellState;
  const old = viewer?.node;
  viewer = next;
  // Room for the numbers, so that the picture does not jump when they come.
  if (!old) numbers.replaceChildren(tile("simulated", "–", "", ""), tile("waiting at switches", "–", "", ""), tile("congestion trees", "–", "", ""));
  if (old) old.replaceWith(next.node);
  else document.getElementById("main").append(next.node);
  viewer.fit();
}

/** Of two runs of different networks both are named. */
function head(message, second) {
  const factsOf = (m) => [m.topology === "file" ? "a fabric from a file" : m.topology, `${fmt(m.hosts.length)} hosts`, `${fmt(m.switches)} switches`].filter(Boolean).join(", ");
  const two = second && factsOf(second) !== factsOf(message);
  network = message;
  title.textContent = [message.name || "a run", ...(two && second.name !== message.name ? [second.name || "a run"] : [])].join(" beside ");
  document.title = `Coppice: ${title.textContent}`;
  facts.textContent = `${factsOf(message)}${two ? ` | ${factsOf(second)}` : ""} · `;
}

// -- stored runs --

const paneOf = (run) => Math.max(0, wanted.indexOf(run));
const labelOf = (run) => runs.labels[runs.findIndex((r) => r.id === run)] ?? `run ${run}`;

/** Asks for what is wanted and not here, until it is here. */
function ask() {
  for (const run of wanted) if (!got.get(run)?.over) say("open", undefined, { run, pane: paneOf(run) });
  clearTimeout(ask.timer);
  if (wanted.some((run) => !got.get(run)?.over) && socket.readyState <= 1) ask.timer = setTimeout(ask, AGAIN_MS);
}

function choose() {
  const [first, second] = [...pick.querySelectorAll("select")].map((s) => Number(s.value));
  wanted = second && second !== first ? [first, second] : [first];
  for (const run of got.keys()) if (!wanted.includes(run)) got.delete(run);
  for (const run of wanted) got.delete(run); // its pane may be another one
  ask();
}

/** Two selects: what is shown, and what beside it. */
function offer(list) {
  runs = list;
  runs.labels = runLabels(list);
  pick.hidden = list.length < 2;
  const select = (label, first) => el("select", { "aria-label": label, onchange: choose }, first, list.map((r, i) => el("option", { value: String(r.id), selected: !first && r.id === wanted[0] }, runs.labels[i])));
  pick.replaceChildren(el("span", {}, "Run"), select("Run"), el("span", {}, "beside"), select("Second run", el("option", { value: "0" }, "nothing")));
}

function stored(message) {
  if (wanted.length === 0) {
    wanted = [message.run];
    offer(message.runs);
    ask.timer = setTimeout(ask, AGAIN_MS);
  }
  if (!wanted.includes(message.run) || got.has(message.run)) return;
  got.set(message.run, Object.assign(new LiveSource(message, (what, value) => say(what, value, { run: message.run, pane: paneOf(message.run) })), { message }));
}

/** When all that is wanted is here the picture changes. */
function complete(message) {
  const s = got.get(message.run);
  if (!s || s.over) return;
  s.finish(message);
  s.over = true;
  if (!wanted.every((run) => got.get(run)?.over)) return;
  const now = wanted.map((run) => got.get(run));
  const duration = Math.max(...now.map((x) => x.message.duration));
  const named = now.map(({ message: m }, i) => { const one = runs.find((r) => r.id === wanted[i]); return { ...m, name: one?.title || one?.name || m.name, duration }; });
  head(...named);
  draw(now, now.length > 1 ? wanted.map(labelOf) : null);
}

socket.onmessage = (m) => {
  if (typeof m.data !== "string") {
    const frame = readFrame(m.data);
    (frame.run ? got.get(frame.run) : source)?.accept(frame);
    return;
  }
  const message = JSON.parse(m.data);
  if (message.run) (message.type === "network" ? stored : complete)(message);
  else if (message.type === "network") {
    head(message);
    draw([new LiveSource(message, say)], null);
  } else if (message.type === "end") source?.finish(message);
  tellState();
};
socket.onclose = () => { viewer?.panes.forEach((p) => p.source.close()); tellState(); };
startTheme();
build();
tellState();
document.documentElement.dataset.ready = "yes";
