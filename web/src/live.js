// The page of a run that goes on, or of a stored one: the same viewer as in the report, fed by the program over a
// WebSocket. The page is served by that program, under an address with a secret in it.
import { el, fmt, timeText } from "./dom.js";
import { isDarkNow, onTheme, startTheme, toggleTheme } from "./theme.js";
import { LiveSource } from "./view/live.js";
import { bytesText, Viewer } from "./view/viewer.js";

const socket = new WebSocket(`ws://${location.host}${location.pathname}ws`, "coppice");
socket.binaryType = "arraybuffer";
const say = (what, value) => {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(value === undefined ? { do: what } : { do: what, value }));
};

const state = el("span", { class: "live-state", role: "status" }, "connecting …");
const title = el("h1", {}, "Coppice");
const facts = el("span", {});
const numbers = el("dl", { class: "tiles large live-tiles" });
const colours = el("button", { type: "button", class: "tool theme", onclick: toggleTheme });
const closing = el("button", { type: "button", class: "tool theme", title: "End the view; a run that goes on is not stopped", onclick: () => { say("close"); setTimeout(() => socket.close(), 500); } }, "Close");
let source = null, viewer = null, network = null;

function build() {
  document.getElementById("top").append(el("div", {}, el("p", { class: "over" }, "coppice"), title, el("p", { class: "facts-line" }, facts, state)), el("div", { class: "live-buttons" }, colours, closing));
  document.getElementById("main").replaceChildren(numbers);
  const name = () => { colours.textContent = isDarkNow() ? "Light" : "Dark"; };
  onTheme(name);
  name();
}

function tile(label, value, unit, note) {
  return el("div", {}, el("dt", {}, label), el("dd", {}, value, unit ? el("span", { class: "unit" }, ` ${unit}`) : null), el("p", { class: "tile-note" }, note || "\u00a0"));
}

/** What the picture shows now, in three numbers. */
function count() {
  const pane = viewer?.panes[0], f = pane?.frame;
  if (!f) return;
  const waiting = f.waiting.reduce((a, b) => a + b, 0);
  const trees = pane.trees, held = trees.reduce((a, t) => a + t.members.reduce((b, m) => b + m.bytes, 0), 0);
  let fullest = 0;
  for (let i = 1; i < f.waiting.length; i++) if (f.waiting[i] > f.waiting[fullest]) fullest = i;
  const port = source.network.ports[fullest];
  const [w, unit] = bytesText(waiting).split(" "), victims = new Set(trees.flatMap((t) => [...(t.victims || [])].filter((_, i) => i % 2 === 0)));
  numbers.replaceChildren(
    tile("simulated", ...timeText(viewer.now, network.duration / 1e6).split("\u00a0"), `of ${timeText(network.duration / 1e6)}`),
    tile("waiting at switches", w, unit, waiting > 0 && port ? `most for ${port.name} → ${port.toName}` : "nothing waits"),
    tile("congestion trees", fmt(trees.length), "", trees.length ? `${bytesText(held)} held, ${fmt(victims.size)} host${victims.size === 1 ? " is a victim" : "s are victims"}` : "none now"));
}

function tellState() {
  const words = socket.readyState > 1 ? (source?.running ? "closed; the run goes on without this page" : "closed: this page keeps what it has got")
    : !source ? "connecting …" : source.running ? (source.paused ? "paused" : "the simulation runs") : "over: any part of it can be played";
  state.textContent = words;
  document.documentElement.dataset.state = socket.readyState > 1 ? "closed" : !source ? "connecting" : source.running ? (source.paused ? "paused" : "running") : "over";
  closing.hidden = socket.readyState > 1;
}

function begin(message) {
  network = message;
  title.textContent = message.name || "a run";
  document.title = `Coppice: ${message.name}`;
  facts.textContent = [message.topology, `${fmt(message.hosts.length)} hosts`, `${fmt(message.switches)} switches`].filter(Boolean).join(", ") + " · ";
  source = new LiveSource(message, say);
  viewer = new Viewer([source], null);
  viewer.onshow = count;
  viewer.onstate = tellState;
  // Room for the numbers, so that the picture does not jump when they come.
  numbers.replaceChildren(tile("simulated", "–", "", ""), tile("waiting at switches", "–", "", ""), tile("congestion trees", "–", "", ""));
  document.getElementById("main").append(viewer.node);
  viewer.fit();
}

socket.onmessage = (m) => {
  if (typeof m.data !== "string") {
    source?.accept(m.data);
    return;
  }
  const message = JSON.parse(m.data);
  if (message.type === "network") begin(message);
  else if (message.type === "end") source?.finish(message);
  tellState();
};
socket.onclose = () => { source?.close(); tellState(); };
startTheme();
build();
tellState();
document.documentElement.dataset.ready = "yes";
