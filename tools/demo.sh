#!/usr/bin/env bash
# The demo: two networks with one overloaded port each, without congestion control.
# usage: tools/demo.sh COPPICE
set -eu
coppice=$1
here=$(cd "$(dirname "$0")/.." && pwd)
db=$(dirname "$coppice")/demo.db
rm -f "$db" "$db"-*

say() { printf '\n\033[1m%s\033[0m\n' "$1"; }
[ -t 1 ] || say() { printf '\n%s\n' "$1"; }

say "1. Two switches, seven hosts (Gran, thesis fig. 2.4)"
cat <<'TEXT'
Three hosts send to host 4 at full rate, so each gets a third of its link. Host 0 sends to idle
host 3, and should have a whole link. It gets a third as well: its packets wait behind packets for
host 4 in a buffer they share. Nothing is lost; the innocent flow just stands in line.
TEXT
"$coppice" run "$here/examples/two-switch.yaml" --db "$db"

say "2. The same hosts, a private buffer per destination (VOQnet)"
"$coppice" run "$here/examples/two-switch.yaml" --set queueing.kind=voqnet --quiet --db "$db" | sed -n '/flow /,/^$/p'

say "3. A fat tree with 648 hosts and one hot port"
"$coppice" run "$here/examples/hotspot-648.yaml" --db "$db"

say "What next"
cat <<TEXT
  $coppice run examples/two-switch.yaml --set queueing.kind=1q     change anything from the command line
  $coppice list                                                    what there is to choose from
  $coppice check examples/hotspot-648.yaml                         every setting with its unit
  sqlite3 $db 'SELECT * FROM summary'                     the results of this demo
TEXT
