#!/bin/sh
# Write a C file with the fingerprint of the given sources, comments, blank lines and spacing aside:
# results of programs with the same fingerprint are the same, whatever compiled them.
# Behaviour has a fingerprint of its own: that of the golden runs and their values, GOLDEN, which
# moving or rewriting code leaves alone.
# usage: tools/model_id.sh GOLDEN FILE...
set -eu
behaviour=$(grep -v '^#' "$1" | sha256sum | cut -c 1-16)
shift
id=$(for f in "$@"; do
    echo "$f"
    awk '{
        line = $0
        out = ""
        while (line != "") {
            if (inside) {
                end = index(line, "*/")
                if (!end) break
                line = substr(line, end + 2)
                inside = 0
            }
            if (!match(line, /"([^"\\]|\\.)*"|\047([^\047\\]|\\.)*\047|\/\/|\/\*/)) {
                out = out line
                break
            }
            token = substr(line, RSTART, RLENGTH)
            out = out substr(line, 1, RSTART - 1)
            line = substr(line, RSTART + RLENGTH)
            if (token == "//") break
            if (token == "/*") { inside = 1; out = out " " }
            else out = out token
        }
        gsub(/[ \t]+/, " ", out)
        sub(/^ /, "", out)
        sub(/ $/, "", out)
        if (out != "") print out
    }' "$f"
done | sha256sum | cut -c 1-16)
echo '#include "exp/run.h"'
echo "const char *cop_model_id(void)"
echo "{"
echo "    return \"$id\";"
echo "}"
echo
echo "const char *cop_behaviour_id(void)"
echo "{"
echo "    return \"$behaviour\";"
echo "}"
