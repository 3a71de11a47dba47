#!/bin/sh
# Write a C file that says what was built: the git commit, where the program will find its data, and
# the options of the compiler. The file keeps its time when it would not change, so that nothing is
# built again: of the folders only the way from one to the other counts, which seldom changes.
# usage: tools/build_info.sh FILE BINDIR DATADIR OPTION...
set -eu
file=$1 new=$1.$$ # two makes may be at it
data=$(realpath -m --relative-to="$2" "$3")
shift 3
cd "$(dirname "$0")/.."
commit=
# Only of our own checkout: a release may have been unpacked inside another one.
if [ -e .git ]; then
    commit=$(git describe --always --abbrev=12 --exclude='*' --dirty=+changes 2>/dev/null) || commit=
fi
quote() { printf '%s' "$1" | sed -e 's/[\\"]/\\&/g'; }
{
    echo '#include "build_info.h"'
    echo "const char cop_build_commit[] = \"$(quote "${commit:-unknown}")\";"
    echo "const char cop_build_data[] = \"$(quote "$data")\";"
    echo "const char cop_build_options[] = \"$(quote "$*")\";"
} >"$new"
if cmp -s "$new" "$file"; then rm -f "$new"; else mv "$new" "$file"; fi
