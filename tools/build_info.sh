#!/bin/sh
# Write a C file that says what was built: the git commit and the options of the compiler. The file
# keeps its time when it would not change, so that nothing is built again.
# usage: tools/build_info.sh FILE OPTION...
set -eu
file=$1
shift
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
    echo "const char cop_build_options[] = \"$(quote "$*")\";"
} >"$file.new"
if cmp -s "$file.new" "$file"; then rm -f "$file.new"; else mv "$file.new" "$file"; fi
