#!/usr/bin/env bash
# Install the Debian packages of packages.txt that are missing for the given purposes.
# Node, npm and Chromium count as present when they are on the PATH, whoever put them there.
# usage: tools/deps.sh build [test] [check]
set -eu
cd "$(dirname "$0")/.."

wanted=()
for purpose in "$@"; do
    while read -r name for; do
        case "$name" in '' | '#'*) continue ;; esac
        [ "$for" = "$purpose" ] && wanted+=("$name")
    done < packages.txt
done

if ! command -v dpkg-query >/dev/null; then
    echo "deps: not a Debian system; please install the equivalents of: ${wanted[*]}" >&2
    exit 0
fi

present() { dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null | grep -q '^ii'; }
# Programs that people often have from elsewhere; any of them will do.
on_path() {
    case "$1" in
    nodejs) command -v node ;;
    npm) command -v npm ;;
    chromium) command -v chromium || command -v chromium-browser || command -v google-chrome ;;
    *) false ;;
    esac >/dev/null
}
missing=()
for name in "${wanted[@]}"; do
    case "$name" in
    # The compiler's run-time library carries its version in its name.
    libclang-rt-dev) name="libclang-rt-$(clang -dumpversion 2>/dev/null | cut -d. -f1)-dev" ;;
    esac
    on_path "$name" || present "$name" || missing+=("$name")
done
[ ${#missing[@]} -eq 0 ] && exit 0

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
