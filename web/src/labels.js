// How runs are told apart: by the settings in which their configurations differ.

/** The settings of a configuration as the program prints it: "cc.kind" -> "none". */
export function settingsOf(text) {
  const out = new Map(), path = [], counts = new Map();
  for (const raw of String(text || "").split("\n")) {
    let line = raw.replace(/\s+$/, "");
    if (!line.trim() || line.trim().startsWith("#")) continue;
    let depth = line.length - line.trimStart().length;
    line = line.trimStart();
    while (path.length && path[path.length - 1].depth >= depth) path.pop();
    if (line.startsWith("- ")) {
      const key = path.map((p) => p.key).join("."), i = counts.get(key) || 0;
      counts.set(key, i + 1);
      path.push({ depth, key: String(i) });
      line = line.slice(2);
      depth += 2;
    }
    const m = /^([^:]+):(?:\s+(.*))?$/.exec(line);
    if (!m) continue;
    if (m[2] === undefined || m[2] === "") path.push({ depth, key: m[1] });
    else out.set([...path.map((p) => p.key), m[1]].join("."), m[2].replace(/^"(.*)"$/, "$1"));
  }
  return out;
}

/** Keys whose values differ between runs, with a value per run; what only follows from another is last. */
export function differences(runs) {
  const all = runs.map((r) => settingsOf(r.config)), keys = new Set(all.flatMap((m) => [...m.keys()]));
  const list = [...keys].filter((k) => k !== "title" && new Set(all.map((m) => m.get(k) ?? "–")).size > 1);
  // Options of a kind that only some runs have say no more than the kind.
  const kinds = list.filter((k) => k.endsWith(".kind")).map((k) => k.slice(0, -4));
  const left = list.filter((k) => k.endsWith(".kind") || !kinds.some((p) => k.startsWith(p)) || all.every((m) => m.has(k)));
  // What kind of thing it is says most, then what runs are made of; names and lengths say least.
  const rank = (k) => (k.endsWith(".kind") ? 0 : k === "name" || k.startsWith("run.") ? 2 : 1);
  return left.map((key, i) => [rank(key), i, key]).sort((a, b) => a[0] - b[0] || a[1] - b[1]).map(([, , key]) => key).map((key) => ({ key, values: all.map((m) => m.get(key) ?? "–") }));
}

/** "cc.kind ibcc, seed 2", or the number alone if nothing differs. Runs that all have names of their own are told apart
 *  by these: they come from different files, and everything else may differ, too. */
export function runLabels(runs) {
  if (runs.every((r) => r.name) && new Set(runs.map((r) => r.name)).size === runs.length) return runs.map((r) => `${r.id}: ${r.name}`);
  const diff = differences(runs).filter((d) => d.key !== "name").slice(0, 3);
  return runs.map((r, i) => {
    const words = diff.map((d) => `${d.key.replace(/^run\.seed$/, "seed").replace(/\.kind$/, "")} ${d.values[i]}`).join(", ");
    return `${r.id}: ${words || r.title || r.name}`;
  });
}
