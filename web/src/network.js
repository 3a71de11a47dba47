// The figure of a network: a viewer fed with the data inside the page. Two figures of the same network that
// follow each other in one experiment become one, side by side on one clock.
import { EmbeddedSource } from "./view/source.js";
import { Viewer } from "./view/viewer.js";

/** specs: one figure or two; with titles if there are two. */
export function networkViewer(specs) {
  return new Viewer(specs.map((s) => new EmbeddedSource(s)), specs.length > 1 ? specs.map((s) => s.title || s.name) : null);
}

/** Neighbours that show the same network, in pairs: [[spec], [spec, spec], ...] with everything else between. */
export function pairNetworks(figures) {
  const out = [];
  for (const f of figures || []) {
    const last = out[out.length - 1];
    const twin = last && last.length === 1 && last[0].kind === "network" && f.kind === "network" && (last[0].links || []).length === (f.links || []).length && (last[0].nodes || []).length === (f.nodes || []).length;
    if (twin) last.push(f);
    else out.push([f]);
  }
  return out;
}
