// Light and dark. Colours of figures are those of Okabe and Ito, moved a little so that each stands
// out from the background by 3:1; colour is never the only difference (markers, dashes, decals, words).

const LIGHT = ["#0072b2", "#d55e00", "#00865f", "#b3559a", "#9a7000", "#2f8fcf", "#4b3b9a", "#5f6770"];
const DARK = ["#5ab8ee", "#f0883e", "#35c79a", "#e29bc9", "#ecd444", "#a9c9ff", "#b9a7f5", "#aab2bd"];
// Use of links: pale is idle, and the last colour is the one that stands out.
const HEAT_LIGHT = ["#bcc6d1", "#96b9d3", "#f2b64a", "#dd6b20", "#8b1a1a"];
const HEAT_DARK = ["#525d6a", "#56789b", "#b07a2c", "#f08a3c", "#ffe08a"];
// Classes of heat maps: lightness alone tells them apart (cividis).
const CIVIDIS = ["#00224e", "#2a3f6d", "#575d6d", "#7d7c78", "#a69d75", "#d3c164", "#fee838"];

const media = window.matchMedia("(prefers-color-scheme: dark)");
const watchers = [];
let wish = "auto"; // or "light", "dark"
let paper = false; // while printing: always light

const isDark = () => !paper && (wish === "dark" || (wish === "auto" && media.matches));

export function theme() {
  const dark = isDark();
  return {
    dark,
    series: dark ? DARK : LIGHT,
    heat: dark ? HEAT_DARK : HEAT_LIGHT,
    classes: CIVIDIS,
    text: dark ? "#e4e8ee" : "#1d2329",
    quiet: dark ? "#9aa5b1" : "#5c6670",
    line: dark ? "#343c46" : "#e3e7eb",
    axis: dark ? "#5b6570" : "#aab2bb",
    page: dark ? "#14181d" : "#ffffff",
    panel: dark ? "#1b2026" : "#ffffff",
    font: "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', 'Noto Sans', 'Liberation Sans', Arial, sans-serif",
  };
}

/** f is called whenever colours changed. */
export const onTheme = (f) => watchers.push(f);

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  watchers.forEach((f) => f());
}

export function setPaper(on) {
  if (paper === on) return;
  const before = isDark();
  paper = on;
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  if (before !== isDark()) watchers.forEach((f) => f());
}

export function startTheme() {
  try {
    wish = localStorage.getItem("coppice-theme") || "auto";
  } catch {
    // A browser may refuse storage to pages from the disk; the wish then lasts as long as the page.
  }
  media.addEventListener("change", apply);
  apply();
}

export const isDarkNow = isDark;

export function toggleTheme() {
  wish = isDark() ? "light" : "dark";
  if ((wish === "dark") === media.matches) wish = "auto";
  try {
    localStorage.setItem("coppice-theme", wish);
  } catch {
    // see startTheme
  }
  apply();
}

/** Colour at share t (0 to 1) of a list of colours. */
export function ramp(colours, t) {
  const at = Math.min(Math.max(t || 0, 0), 1) * (colours.length - 1);
  const i = Math.min(Math.floor(at), colours.length - 2);
  const rgb = (hex) => [1, 3, 5].map((k) => parseInt(hex.slice(k, k + 2), 16));
  const [a, b] = [rgb(colours[i]), rgb(colours[i + 1])];
  return `rgb(${a.map((v, k) => Math.round(v + (b[k] - v) * (at - i))).join(",")})`;
}
