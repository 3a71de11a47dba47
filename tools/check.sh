#!/usr/bin/env bash
# Everything that is worth doing before a release; `make test` takes format, layers, order, options and docs, the rest is
# too slow for every change. One line per step, a summary at the end, and a non-zero exit if any step
# failed. Warnings are errors here.
#   format     clang-format on every C file; another version formats otherwise, so with one it is
#              checked only if CI is set
#   layers     who includes whom, and which object files of BUILD need each other (tools/check_layers.py)
#   order      draws of random numbers that no rule of C puts in an order (tools/check_order.py)
#   options    each option of docs/CONFIG.md is used by an experiment, an example or a test
#              (tools/check_options.py)
#   docs       documents: width of lines, links, words (tools/check_docs.py)
#   mutants    the self-test of tools/mutants.py
#   tidy       clang-tidy on src and apps
#   cppcheck   on src and apps
#   tests      all tests with address and undefined-behaviour sanitizers, random tests 5 x longer
#   fuzz       every fuzzer for FUZZ_SECONDS (default 20)
#   golden     same results from five builds (tools/golden.sh)
#   recorder   the recorder of MPI programs; with programs where mpirun is found
# usage: tools/check.sh [BUILD [STEP...]]
set -u
cd "$(dirname "$0")/.."

build=${1-build}
shift $(($# > 0))
[ $# -gt 0 ] || set -- format layers order options docs mutants tidy cppcheck tests fuzz golden recorder
logs=$build/check
mkdir -p "$logs"
formatted_with=14 # clang-format
lua_flags=$(pkg-config --cflags lua5.4 2>/dev/null | sed 's/-I/-isystem /g')
flags="-std=gnu11 -D_GNU_SOURCE -Isrc -Iinclude -Itests/support $lua_flags"

own_make() { env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j"$(nproc)" WERROR=1 "$@"; }

check_format() {
    local version
    version=$(clang-format --version | sed 's/.*version \([0-9]*\).*/\1/')
    if [ "$version" != "$formatted_with" ] && [ -z "${CI-}" ]; then
        echo "not checked: clang-format is $version, the files are formatted with $formatted_with"
        return 0
    fi
    if ! printf '%s\n' src/*/*.[ch] src/*/*/*.[ch] apps/*/*.[ch] include/*.h examples/*.c recorder/*.[ch] recorder/*/*.c tests/*/*.[ch] tests/net/*/*.c |
        xargs -P "$(nproc)" -n 40 clang-format --dry-run --Werror 2>"$logs/format-full.log"; then
        sed -n 's/^\([^: ]*\):[0-9]*:.*error:.*/\1: not formatted; run `make format`/p' \
            "$logs/format-full.log" | sort -u
        return 1
    fi
}

check_layers() { tools/check_layers.py --objects "$build"; }

check_order() { tools/check_order.py; }

check_options() { tools/check_options.py docs/CONFIG.md; }

check_docs() { tools/check_docs.py; }

check_mutants() { tools/mutants.py --self-test; }

check_tidy() {
    local status=0
    printf '%s\n' src/*/*.c src/*/*/*.c apps/*/*.c |
        xargs -P "$(nproc)" -n 4 sh -c 'clang-tidy --quiet "$@" -- '"$flags"' 2>/dev/null' sh \
            >"$logs/tidy-full.log" || status=1
    # A fault in a header shows once per file that includes it; notes are in the full log.
    grep ' error: ' "$logs/tidy-full.log" | sed "s|^$PWD/||" | sort -u
    return $status
}

check_cppcheck() {
    cppcheck --quiet --error-exitcode=1 --enable=warning,performance,portability --std=c11 \
        --inline-suppr -D_GNU_SOURCE -Isrc -Iinclude -j "$(nproc)" src apps
}

check_tests() {
    local dir=$build/sanitized program tests=()
    # gcc warns about its own instrumentation, hence -Wno-error.
    own_make BUILD="$dir" OPT="-O1 -fsanitize=address,undefined,float-cast-overflow -fno-sanitize-recover=all -Wno-error" \
        unit-build || return 1
    for program in tests/*/test_*.c tests/net/*/test_*.c; do
        tests+=("$dir/${program%.c}")
    done
    COPPICE_ROUNDS=${COPPICE_ROUNDS-5} COPPICE=$build/coppice \
        UBSAN_OPTIONS=print_stacktrace=1 tools/run_tests.sh "$dir/log" "${tests[@]}"
}

check_fuzz() { tools/fuzz.sh "$build"; }

check_golden() { tools/golden.sh "$build"; }

check_recorder() { own_make BUILD="$build" recorder-test; }

failed=()
for step in "$@"; do
    if ! declare -F "check_$step" >/dev/null; then
        echo "check: unknown step $step; one of format layers order options docs mutants tidy cppcheck tests fuzz golden recorder" >&2
        exit 2
    fi
    start=$SECONDS
    printf '%-9s ' "$step"
    if "check_$step" >"$logs/$step.log" 2>&1; then
        printf 'ok      %4d s  %s\n' $((SECONDS - start)) "$(tail -n 1 "$logs/$step.log")"
    else
        printf 'FAILED  %4d s  see %s\n' $((SECONDS - start)) "$logs/$step.log"
        tail -n 30 "$logs/$step.log" | cut -c 1-200 | sed 's/^/    /'
        failed+=("$step")
    fi
done

if [ ${#failed[@]} -eq 0 ]; then
    echo "check: all $# steps ok"
else
    echo "check: ${#failed[@]} of $# steps failed: ${failed[*]}"
    exit 1
fi
