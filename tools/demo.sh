#!/usr/bin/env bash
# The demo: a fat tree of 648 hosts with eight hot spots, without and with congestion control, beside
# what the paper found; then the report.
# usage: tools/demo.sh COPPICE
set -eu
coppice=$1
build=$(dirname "$coppice")
db=$build/demo.db
page=$build/demo.html
rm -f "$db" "$db"-*

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

say "A fat tree of 648 hosts, eight of them overloaded"
cat <<'TEXT'
Four hosts out of five send all they have to one of eight hot spots; the others
send to all hosts. Nothing is ever lost in such a network. Instead packets for
the hot spots fill the switches, and packets to other hosts stand still.
InfiniBand congestion control slows the senders down.
TEXT

say "Watching the congestion trees, without and with control: two runs of 45 ms"
forest=examples/silent-forest-648.yaml
film() { "$coppice" run "$forest" --set run.trees=yes --set run.tree_sample="1500 us" --quiet --db "$db" --set run.duration="45 ms" --set run.warmup="5 ms" "$@" >"$build/demo.log"; }
film --set cc.kind=none --set title="Eight hot spots, no control"
grep -A 1 '^tree [0-9]' "$build/demo.log" | grep -v '^--' | head -6 || true
film --set title="Eight hot spots, InfiniBand congestion control"

say "What the paper found (table II), and what we find: 20 runs of 10 to 100 ms"
status=0
"$coppice" reproduce gran4-table2 --db "$db" || status=$?
if [ "$status" -gt 1 ]; then exit "$status"; fi
"$coppice" report "$db" -o "$page" >/dev/null

say "Look at it"
echo "  $page    opens in any browser, needs no network"
if [ -n "${DISPLAY-}${WAYLAND_DISPLAY-}" ] && [ -t 1 ] && command -v xdg-open >/dev/null; then
    xdg-open "$page" >/dev/null 2>&1 || true
fi
cat <<TEXT

  $coppice run examples/two-switch.yaml           the smallest network with a victim
  $coppice list experiments                       what else the papers show
  $coppice reproduce gran1-fig7                   and run one of them
  $coppice list                                   what there is to choose from
TEXT
