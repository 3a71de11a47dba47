#!/usr/bin/env bash
# Build every fuzzer of tests/fuzz with clang and its sanitizers and run each for FUZZ_SECONDS
# (default 20), starting from tests/fuzz/corpus/NAME and, for some, other files of the tree. What it
# learns stays in BUILD/fuzz/corpus; an input that fails stays in BUILD/fuzz/failed.
# usage: tools/fuzz.sh [BUILD [NAME...]]
set -u
cd "$(dirname "$0")/.."

build=${1-build}/fuzz
shift $(($# > 0))
seconds=${FUZZ_SECONDS-20}
[ $# -gt 0 ] || set -- $(basename -a -s .c tests/fuzz/fuzz_*.c | sed 's/^fuzz_//')

sanitize=address,undefined,float-cast-overflow
opt="-O1 -fno-sanitize-recover=undefined -fno-omit-frame-pointer"
mkdir -p "$build/failed"
if ! env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j"$(nproc)" BUILD="$build" CC=clang \
    OPT="$opt -fsanitize=fuzzer-no-link,$sanitize" "$build/libcoppice.a" >"$build/build.log" 2>&1; then
    tail -n 20 "$build/build.log" >&2
    exit 2
fi

failed=0
for name in "$@"; do
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    # shellcheck disable=SC2086
    if ! clang -std=gnu11 -D_GNU_SOURCE -g $opt -Isrc -fsanitize=fuzzer,$sanitize \
        "tests/fuzz/fuzz_$name.c" "$build/libcoppice.a" \
        $(pkg-config --libs yaml-0.1 jansson sqlite3 lua5.4 zlib libprotobuf-c) -lm \
        -o "$build/fuzz_$name" 2>"$build/$name.log"; then
        tail -n 20 "$build/$name.log" >&2
        failed=1
        continue
    fi
    seeds=("tests/fuzz/corpus/$name")
    case $name in
    config) seeds+=(tests/golden examples -timeout=12) ;;
    topo) seeds+=(examples) ;;
    run) seeds+=(-len_control=0 -max_len=64) ;; # a byte per choice; more would mean nothing
    study | expr) seeds+=(-timeout=12) ;;        # expressions have a deadline of their own
    esac
    # The first folder is written to, the others are only read.
    if "$build/fuzz_$name" -max_total_time="$seconds" -max_len=4096 -timeout=20 -rss_limit_mb=2048 \
        -artifact_prefix="$build/failed/$name-" -print_final_stats=1 "$corpus" "${seeds[@]}" \
        >"$build/$name.log" 2>&1; then
        printf '  fuzz_%-8s %9s inputs in %s s, no fault\n' "$name" \
            "$(sed -n 's/^stat::number_of_executed_units: *//p' "$build/$name.log")" "$seconds"
    else
        echo "  fuzz_$name FAILED; the input is in $build/failed, the log in $build/$name.log"
        grep -a -m 5 'ERROR\|internal error\|runtime error\|SUMMARY\|Test unit' "$build/$name.log" | sed 's/^/    /'
        failed=1
    fi
done
[ "$failed" -eq 0 ]
