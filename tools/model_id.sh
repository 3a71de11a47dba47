#!/bin/sh
# Write a C file with the fingerprint of the given sources, comments and blank lines aside: results
# of programs with the same fingerprint are the same.
# usage: tools/model_id.sh FILE...
set -eu
id=$(for f in "$@"; do
    echo "$f"
    gcc -fpreprocessed -dD -E -P -w "$f"
done | sha256sum | cut -c 1-16)
echo '#include "exp/run.h"'
echo "const char *cop_model_id(void)"
echo "{"
echo "    return \"$id\";"
echo "}"
