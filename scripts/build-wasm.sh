#!/usr/bin/env bash
# Builds the Worker: `release` into build/, `faults` (with the cargo feature of that name, for tests) into build-faults/.
# Does nothing when neither the source nor the tools have changed. Needs scripts/setup.sh to have run.
set -euo pipefail
cd "$(dirname "$0")/.."

limit_kb=300 # of gzipped wasm

case ${1:-release} in
    release) out=build entry=entry.js features=() ;;
    faults) out=build-faults entry=faults.js features=(--features faults) ;;
    *) echo "usage: scripts/build-wasm.sh [release|faults]" >&2 && exit 2 ;;
esac
[[ -f .tools/stamps/wasm && -f .tools/stamps/build-tools && -f .tools/stamps/npm-packages ]] || {
    echo "build: run scripts/setup.sh first" >&2
    exit 1
}

wasm=$out/index_bg.wasm

# Says how large the wasm is, and fails when it is too large.
check_size() {
    local raw_kb gzip_kb
    raw_kb=$((($(stat -c %s "$wasm") + 999) / 1000))
    gzip_kb=$((($(gzip -9c "$wasm" | wc -c) + 999) / 1000))
    echo "build: $wasm is $raw_kb kB, $gzip_kb kB gzipped"
    if ((gzip_kb > limit_kb)); then
        echo "build: more than the $limit_kb kB gzipped that this project allows itself" >&2
        exit 1
    fi
}

shopt -s nullglob
inputs=$(find src Cargo.toml Cargo.lock *.json scripts/build-wasm.sh .tools/wasm-toolchain.env .tools/stamps/build-tools -type f -print0 |
    sort -z | xargs -0 sha256sum | sha256sum)
stamp=$out/.inputs
if [[ -f $stamp && $(<"$stamp") == "$inputs" ]]; then
    echo "build: $out/ is up to date"
    check_size
    exit
fi
rm -f "$stamp"

(
    source .tools/wasm-toolchain.env
    cargo build --release --target wasm32-unknown-unknown --lib "${features[@]}"
)

# wasm-bindgen writes wasm/ beside the project's own JavaScript, and esbuild makes one module of both.
parts=target/wasm/$out
rm -rf "$parts" "$out"
mkdir -p "$parts" "$out"
cp src/*.js "$parts/"
.tools/bin/wasm-bindgen target/wasm/wasm32-unknown-unknown/release/agent_codex.wasm --out-dir "$parts/wasm" --out-name index \
    --target module --no-typescript --experimental-reset-state-function
# The runtime gives the module of an import without `source` too, and so do tools that do not know that word yet.
sed -i 's/^import source /import /' "$parts/wasm/index.js"
tests/node_modules/.bin/esbuild "$parts/$entry" --bundle --format=esm --target=esnext --minify --log-level=warning \
    --external:cloudflare:workers '--external:*.wasm' --outfile="$out/index.js"

# The features are those that the compiler uses; with all, it would write what workerd refuses to start. Function names go:
# they are a third of the size.
tests/node_modules/.bin/wasm-opt -Os --strip-debug \
    --enable-{mutable-globals,sign-ext,nontrapping-float-to-int,bulk-memory,multivalue,reference-types} "$parts/wasm/index_bg.wasm" -o "$wasm"

check_size
echo "$inputs" >"$stamp"
