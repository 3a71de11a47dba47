#!/usr/bin/env bash
# Same configuration and seed, same bits: runs every configuration of tests/golden with programs
# built by different compilers at different optimisation levels, with both event queues, and
# compares run hashes and main counts with tests/golden/golden.txt.
#
# usage: tools/golden.sh [--quick] [BUILD]   compare; --quick: as shipped, gcc -O0, clang -O2 only
#        tools/golden.sh --update [BUILD]    write golden.txt anew with BUILD/coppice, show what
#                                            changed; a change of results needs a reason
set -u
cd "$(dirname "$0")/.."

mode=full
case "${1-}" in
--quick | --update) mode=${1#--} && shift ;;
-*) echo "golden: unknown option $1; --quick or --update" >&2 && exit 2 ;;
esac
build=${1-build}
golden=tests/golden/golden.txt
variants=$build/variants
mkdir -p "$variants"

# One value of the JSON object on standard input.
value() { sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p" <<<"$json"; }

# "name hash outcome injected delivered hops" of every configuration; $1 program, $2 event queue.
results() {
    local file json
    for file in tests/golden/*.yaml; do
        json=$("$1" run "$file" --quiet --json --set run.event_queue="$2" 2>"$variants/stderr")
        # 3: ended in a state the user must see, such as the deadlock that is wanted here.
        case $? in 0 | 3) ;; *)
            echo "golden: $1 failed on $file: $(tail -n 1 "$variants/stderr")" >&2
            return 1
            ;;
        esac
        echo "$(basename "$file" .yaml) $(value run_hash) $(value outcome)" \
            "$(value packets_injected) $(value packets_delivered) $(value packet_hops)"
    done
}

header="# name, run hash, outcome, packets injected, packets delivered, packet-hops.
# Written by tools/golden.sh --update; a change means changed results and needs a reason."

if [ "$mode" = update ]; then
    new=$(results "$build/coppice" ring) || exit 2
    printf '%s\n%s\n' "$header" "$new" >"$variants/golden.txt"
    touch "$golden"
    if diff -u "$golden" "$variants/golden.txt"; then
        echo "golden: nothing changed"
    else
        cp "$variants/golden.txt" "$golden"
        echo "golden: $golden written; say in the commit why results changed"
    fi
    exit 0
fi

failed=0
compare() { # $1 title, $2 program, $3 event queue
    if ! results "$2" "$3" >"$variants/now.txt"; then
        failed=1
    elif diff <(grep -v '^#' "$golden") "$variants/now.txt" >"$variants/diff.txt"; then
        printf '  %-28s %3d runs, all the same\n' "$1, $3" "$(wc -l <"$variants/now.txt")"
    else
        printf '  %-28s DIFFERS (< expected, > now)\n' "$1, $3"
        sed 's/^/    /' "$variants/diff.txt"
        failed=1
    fi
}

variant() { # $1 name, $2 compiler, $3 options, $4... event queues
    local name=$1 cc=$2 opt=$3 queue
    shift 3
    # A make of its own: this script may run below another one.
    if ! env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j"$(nproc)" BUILD="$variants/$name" \
        CC="$cc" OPT="$opt" "$variants/$name/coppice" "$variants/$name/tests/whole/test_draw" \
        >"$variants/$name.log" 2>&1; then
        echo "golden: $name does not build; see $variants/$name.log" >&2
        tail -n 5 "$variants/$name.log" >&2
        failed=1
        return
    fi
    for queue in "$@"; do
        compare "$name" "$variants/$name/coppice" "$queue"
    done
    # The random scenarios of the tests are the same, too: each build against the first.
    if ! COPPICE_DRAWN=$variants/$name.drawn "$variants/$name/tests/whole/test_draw" >"$variants/$name.log" 2>&1; then
        tail -n 5 "$variants/$name.log" | sed "s/^/  $name: /"
        failed=1
    elif ! cmp -s "$variants/$name.drawn" "$variants/${drawn:=$name}.drawn"; then
        echo "  $name draws other random scenarios than $drawn, from number" \
            "$(diff "$variants/$name.drawn" "$variants/$drawn.drawn" | sed -n 's/^< \([0-9]*\) .*/\1/p' | head -n 1) on"
        failed=1
    fi
}

if [ "$mode" = quick ]; then
    compare "as shipped" "$build/coppice" ring
    variant gcc-O0 gcc "-O0" heap
    variant clang-O2 clang "-O2 -DNDEBUG" ring
else
    variant gcc-O0 gcc "-O0" ring heap
    variant gcc-O3 gcc "-O3 -DNDEBUG" ring heap
    variant clang-O0 clang "-O0" ring
    variant clang-O3 clang "-O3 -DNDEBUG" ring heap
    # gcc warns about its own instrumentation.
    variant gcc-sanitized gcc "-O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -Wno-error" ring
fi
[ "$failed" -eq 0 ]
