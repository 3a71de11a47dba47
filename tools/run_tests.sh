#!/usr/bin/env bash
# Run test programs (cmocka) as many at a time as there are cores; show what failed; end with `N passed, N failed`.
# usage: tools/run_tests.sh LOGDIR PROGRAM...
# A program that sleeps for ever is ended after HANG seconds (two hours). How long one takes decides nothing
# else: a machine may be busy. Shown are seconds of CPU, with children, and the five longest at the end.
set -u
logs=$1
shift
mkdir -p "$logs"
rm -f "$logs"/*.log "$logs"/*.rc "$logs"/*.time "$logs"/*.cpu
logs=$(cd "$logs" && pwd)

export logs
run_one() {
    local name
    name=$(basename "$1")
    local TIMEFORMAT='%U %S'
    { time timeout "${HANG:-7200}" "$1" >"$logs/$name.log" 2>&1; } 2>"$logs/$name.cpu"
    echo $? >"$logs/$name.rc"
    awk 'END { printf "%.0f\n", $1 + $2 }' "$logs/$name.cpu" >"$logs/$name.time"
}
export -f run_one
printf '%s\0' "$@" | xargs -0 -n 1 -P "$(nproc)" bash -c 'run_one "$0"'

# What failed is shown where it happened and again below the sum: the end of a log is what people see first.
passed=0 failed=0 broken=
for program in "$@"; do
    name=$(basename "$program")
    log=$logs/$name.log
    rc=$(cat "$logs/$name.rc")
    ok=$(grep -ac '^\[       OK \]' "$log")
    bad=$(sed -n 's/^\[  FAILED  \] \([0-9]*\) test(s), listed below:.*/\1/p' "$log" | tail -n 1)
    bad=${bad:-0}
    # A program that died before its summary counts as one more failure.
    if [ "$rc" -ne 0 ] && [ "$bad" -eq 0 ]; then bad=1; fi
    passed=$((passed + ok)) failed=$((failed + bad))
    printf '  %-24s %4d passed %3d failed %5ss\n' "$name" "$ok" "$bad" "$(cat "$logs/$name.time")"
    if [ "$bad" -ne 0 ] || [ "$rc" -ne 0 ]; then
        grep -av '^\[ RUN\|^\[       OK' "$log" | tail -n 40 | sed 's/^/    /'
        broken="$broken $name"
    fi
done
cd "$logs" && echo "longest, seconds of CPU: $(grep -H . ./*.time | sed 's|^./\(.*\).time:|\1 |' | sort -k2 -n | tail -n 5 |
    sed 's/\(.*\) \(.*\)/\1 \2,/' | tr '\n' ' ' | sed 's/, $//')"
echo "$passed passed, $failed failed"
for name in $broken; do
    echo "failed in $name:"
    grep -aE '^\[  FAILED  \] [a-z]|error|Error|at least|!=' "$logs/$name.log" | cut -c 1-200 | head -n 12 | sed 's/^/    /'
done
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
