// Which congestion trees of two runs can be compared: those that were seen often enough to be judged, of runs that looked
// equally often.
import { settingsOf } from "./labels.js";

export const judged = (net) => (net.trees || []).filter((t) => t.kind !== "unjudged");
/** Trees of which none was seen at samples enough: neither their bytes nor their links say what another run's do. */
export const onlyUnjudged = (net) => net.trees?.length > 0 && judged(net).length === 0;

/** What is to be said before the trees of two runs are compared; null: nothing. */
export function aboutTrees(runs) {
  const nets = runs.map((r) => (r.figures || []).find((f) => f.kind === "network"));
  if (!nets.every((n) => n?.trees)) return null;
  const steps = runs.map((r) => settingsOf(r.config).get("run.tree_sample") ?? "auto"), out = [];
  if (new Set(steps).size > 1) out.push(`Trees were looked for at different samples (run.tree_sample ${steps.join(" and ")}): how many there are, how long they stand and of which kind they are depends on that.`);
  if (nets.some(onlyUnjudged)) out.push("Trees that were seen at fewer than 4 samples are not judged, and not compared; a shorter run.tree_sample, or a longer run, judges them.");
  return out.join(" ") || null;
}
