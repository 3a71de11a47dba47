// Elements and numbers. Text only ever enters the page as text nodes and attributes, never as HTML.

/** el("a", {class: "x", href: "#y", onclick: f}, "text", child, [more], null) */
export function el(tag, attributes, ...children) {
  const node = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key === "style") node.style.cssText = value;
    else node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return node;
}

const SVG = "http://www.w3.org/2000/svg";
export function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [key, value] of Object.entries(attributes || {})) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

/** A number for people: at most `digits` significant digits, thousands apart, a real minus. */
export function fmt(v, digits = 4) {
  if (v === null || v === undefined || v === "") return "–";
  if (typeof v !== "number") return String(v);
  if (!Number.isFinite(v)) return "–";
  const size = Math.abs(v);
  if (size !== 0 && (size >= 1e15 || size < 1e-4)) return minus(v.toExponential(2));
  if (Number.isInteger(v)) return group(v.toString());
  const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(size)));
  const text = v.toFixed(Math.min(decimals, 8));
  return group(text.includes(".") ? text.replace(/\.?0+$/, "") : text);
}

const minus = (text) => text.replace("-", "−");

function group(text) {
  const [whole, rest] = minus(text).split(".");
  // A no-break thin space, from five digits on: 9999, 10 000.
  const grouped = whole.replace("−", "").length > 4 ? whole.replace(/\B(?=(\d{3})+$)/g, "\u202f") : whole;
  return rest ? `${grouped}.${rest}` : grouped;
}

/** As pages spell it: files, which people type, have `us`. */
export const unitText = (unit) => (unit === "us" ? "µs" : unit);

export const withUnit = (text, unit) => (unit ? `${text}${unit === "%" ? "\u202f%" : "\u00a0" + unitText(unit)}` : text);

/** "throughput (Gbit/s)" */
export function axisTitle(axis) {
  if (!axis) return "";
  if (!axis.unit) return axis.label || "";
  return axis.label ? `${axis.label} (${unitText(axis.unit)})` : unitText(axis.unit);
}

/** A text that can be an id and a link: letters, digits, "-", "." */
export const slug = (...parts) =>
  parts.filter(Boolean).join("-").replace(/[^A-Za-z0-9.]+/g, "-").replace(/^-+|-+$/g, "") || "x";

export function download(name, type, text) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = el("a", { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}
