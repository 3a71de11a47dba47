// How times, sizes and rates are written: in SI units, or in the cycles and flits that the run file describes its network in.
// units: { cycle: ns, flit: bytes }, either may be missing; of a run they are among its numbers, of a network among its members.
import { fmt, withUnit } from "./dom.js";

export const unitsOf = (scalars) => ({ cycle: scalars.get("units.cycle_ns"), flit: scalars.get("units.flit_bytes") });
export const unitsIn = (spec) => ({ cycle: spec.cycle_ns, flit: spec.flit_bytes });

/** Times of a run that ends after so many ms: [what to multiply ms by, unit]. */
export const timeUnit = (ms, units) => (units?.cycle > 0 ? [1e6 / units.cycle, "cycles"] : ms >= 1000 ? [1e-3, "s"] : ms >= 1 || !(ms > 0) ? [1, "ms"] : ms >= 1e-3 ? [1e3, "µs"] : [1e6, "ns"]);
/** ms, in the unit that fits `of`. */
export function timeText(ms, of = ms, units = null) {
  const [by, unit] = timeUnit(of, units);
  return withUnit(fmt(ms * by, unit === "cycles" && ms * by >= 1000 ? 6 : 4), unit);
}

/** Sizes up to this many bytes: [what to divide bytes by, unit]. */
export const sizeUnit = (bytes, units) => (units?.flit > 0 ? [units.flit, "flits"] : bytes >= 1048576 ? [1048576, "MiB"] : bytes >= 1024 ? [1024, "KiB"] : [1, "B"]);
export function bytesText(bytes, units) {
  const [by, unit] = sizeUnit(bytes, units);
  return unit === "B" ? `${fmt(Math.round(bytes))} B` : `${fmt(bytes / by, 3)} ${unit}`;
}

/** Rates of all hosts together in Gbit/s; in flits per cycle they are those of a node. { total, offered, unit } */
export function ratesOf(scalars) {
  const flits = typeof scalars.get("throughput_flits") === "number";
  return { total: scalars.get(flits ? "throughput_flits" : "throughput_total_gbps"), offered: scalars.get(flits ? "offered_flits" : "offered_gbps"), unit: flits ? "flit/cycle/node" : "Gbit/s", flits };
}

/** Of a run whose sources have a rate of their own: does the network keep up? { word, grows: latencies are those of this
 *  duration only }. "steady" only if nearly all that is offered arrives (docs/RESULTS.md: saturated, packets_piled_up). */
export function stateOf(scalars) {
  const offered = scalars.get("offered_gbps"), accepted = scalars.get("accepted_gbps"), more = scalars.get("packets_piled_up");
  if (scalars.get("saturated") === 1) return { word: "saturated, not steady", grows: true };
  if (more > 0) return { word: `not settled, ${fmt(more)} packets more in the network than before`, grows: true };
  if (accepted < 0.95 * offered) return { word: `${fmt((100 * accepted) / offered, 2)} % of it arrived`, grows: false };
  return { word: "steady", grows: false };
}

/** Curves as one, null if there is none. Those that are means of their nodes (`nodes`) become the mean of the hosts of the network. */
export function addedUp(series, hosts) {
  if (series.length === 0) return null;
  const sum = series[0].points.map((p) => [p[0], 0]);
  for (const s of series) {
    const weight = s.nodes > 0 && hosts > 0 ? s.nodes / hosts : 1;
    s.points.forEach((p, i) => { if (sum[i]) sum[i][1] += (p[1] ?? 0) * weight; });
  }
  return sum;
}
