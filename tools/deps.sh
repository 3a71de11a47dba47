#!/usr/bin/env bash
# Which packages of packages.txt are missing for the given purposes: install them, or only name them.
# usage: tools/deps.sh build [test] [check]          install with apt-get what is missing
#        tools/deps.sh --name build [test] [check]   print their names on one line; nothing if all
#                                                    is there
set -eu
cd "$(dirname "$0")/.."

only_name=
if [ "${1-}" = --name ]; then only_name=1 && shift; fi

debian() { command -v dpkg-query >/dev/null; }
present() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
# Who put it there does not matter; any of the names separated by | will do.
found() { # $1 package, $2 how to see it
    local name names
    IFS='|' read -ra names <<<"${2#*:}"
    for name in "${names[@]}"; do
        if [ "$name" = '$CC' ]; then
            name=${CC:-cc}
            name=${name%% *}
        fi
        case $2 in
        cmd:*) command -v "$name" >/dev/null && return 0 ;;
        pc:*) "${PKG_CONFIG:-pkg-config}" --exists "$name" 2>/dev/null && return 0 ;;
        -) ! debian || present "$1" && return 0 ;;
        esac
    done
    return 1
}

missing=()
for purpose in "$@"; do
    while read -r name for how; do
        case "$name" in '' | '#'*) continue ;; esac
        [ "$for" = "$purpose" ] || continue
        # The compiler's run-time library carries its version in its name.
        if [ "$name" = libclang-rt-dev ]; then
            name="libclang-rt-$(clang -dumpversion 2>/dev/null | cut -d. -f1)-dev"
        fi
        found "$name" "$how" || missing+=("$name")
    done <packages.txt
done
[ ${#missing[@]} -eq 0 ] && exit 0
if [ -n "$only_name" ]; then
    echo "${missing[*]}"
    exit 0
fi

if ! debian; then
    echo "deps: not a Debian system; please install what it calls: ${missing[*]}" >&2
    exit 2
fi
run=()
if [ "$(id -u)" -ne 0 ]; then
    if command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
        run=(sudo)
    else
        echo "deps: these packages are missing: ${missing[*]}" >&2
        echo "deps: install them with: sudo apt-get install ${missing[*]}" >&2
        exit 2
    fi
fi
echo "deps: installing ${missing[*]}"
export DEBIAN_FRONTEND=noninteractive
"${run[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq update || true
"${run[@]}" apt-get -o DPkg::Lock::Timeout=300 -qq install -y --no-install-recommends "${missing[@]}" >/dev/null || {
    echo "deps: apt-get could not install ${missing[*]}; install them by hand and try again" >&2
    exit 2
}
