#!/usr/bin/env bash
# The scripts of the pages of `coppice report` and of the live view, from web/ and npm packages.
# usage: tools/web.sh install DIR    fetch what web/package-lock.json names into DIR
#        tools/web.sh bundle DIR     make DIR/report.js and DIR/live.js, and DIR/licences.html: the licences
#                                    of all packages that are in them, for the pages
# Two builds at once wait for each other. Nothing of a package is executed while installing.
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$2"
dir=$(cd "$2" && pwd)
exec 9>"$dir/lock"
flock 9

install() {
    if [ "$dir/installed" -nt web/package-lock.json ] && [ "$dir/installed" -nt web/package.json ] &&
        [ -d "$dir/node_modules" ]; then
        touch "$dir/installed"
        return
    fi
    echo "  npm ci: fetch the libraries of the report's page, once: up to a minute"
    cp web/package.json web/package-lock.json "$dir/"
    local try
    for try in 1 2 3; do
        (cd "$dir" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >npm.log 2>&1) && break
        if [ "$try" = 3 ]; then
            tail -n 5 "$dir/npm.log" >&2
            echo "web: npm could not fetch the libraries of web/package-lock.json; it needs a" \
                "registry (npm config get registry). Try again when there is one" >&2
            exit 2
        fi
        sleep $((try * 3))
    done
    touch "$dir/installed"
}

# The text of an HTML element: per licence, the packages that have it. A package without one is a fault.
licences() {
    node -e '
        const fs = require("fs");
        const packages = new Map();
        for (const file of process.argv.slice(1))
            for (const path of Object.keys(JSON.parse(fs.readFileSync(file)).inputs)) {
                const name = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(path)?.[1];
                if (name) packages.set(name, `node_modules/${name}`);
            }
        const texts = new Map();
        for (const [name, dir] of [...packages].sort()) {
            const own = fs.readdirSync(dir).filter((f) => /^(licen[cs]e|notice|copyright)/i.test(f));
            const more = fs.existsSync(`${dir}/licenses`) ? fs.readdirSync(`${dir}/licenses`).map((f) => `licenses/${f}`) : [];
            const text = [...own.sort(), ...more.sort()].filter((f) => fs.statSync(`${dir}/${f}`).isFile())
                .map((f) => fs.readFileSync(`${dir}/${f}`, "utf8").trim()).join("\n\n");
            if (!/licen[cs]e|permission/i.test(text)) {
                console.error(`web: ${name} has no licence file; say in tools/web.sh where its licence is`);
                process.exit(2);
            }
            const { version } = JSON.parse(fs.readFileSync(`${dir}/package.json`));
            texts.set(text, [...(texts.get(text) || []), `${name} ${version}`]);
        }
        const page = [...texts].map(([text, names]) => `${names.join(", ")}\n${"=".repeat(60)}\n\n${text}\n`).join("\n\n");
        process.stdout.write(page.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/\{\{/g, "{ {"));
    ' "$@"
}

bundle() {
    echo "  bundle the scripts of the report's page"
    rm -rf "$dir/src"
    cp -r web/src "$dir/src"
    local name
    for name in report live; do
        (cd "$dir" && node node_modules/esbuild/bin/esbuild "src/$name.js" --bundle --minify --format=iife \
            --target=es2020 --charset=utf8 --legal-comments=eof --log-level=warning "--metafile=$name.json" "--outfile=$name.js.new")
        # The script stands inside an HTML element; this would end it.
        if grep -qi '</script' "$dir/$name.js.new"; then
            echo "web: the bundle $name.js contains </script" >&2
            exit 2
        fi
    done
    (cd "$dir" && licences report.json live.json >licences.html.new)
    mv "$dir/licences.html.new" "$dir/licences.html"
    mv "$dir/live.js.new" "$dir/live.js"
    mv "$dir/report.js.new" "$dir/report.js"
}

case "$1" in
install | bundle) "$1" ;;
*) echo "web: unknown step $1; install or bundle" >&2 && exit 2 ;;
esac
