#!/usr/bin/env bash
# Builds the Worker: `release` into build/, `faults` (with the cargo feature of that name, for tests) into build-faults/.
# Does nothing when neither the source nor the tools have changed. Needs scripts/setup.sh to have run.
set -euo pipefail
cd "$(dirname "$0")/.."

limit_kb=400 # of gzipped wasm

case ${1:-release} in
    release) out=build features=() ;;
    faults) out=build-faults features=(--features faults) ;;
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

export PATH="$PWD/.tools/bin:$PATH"
export WASM_BINDGEN_BIN="$PWD/.tools/bin/wasm-bindgen"
export WASM_OPT_BIN="$PWD/tests/node_modules/.bin/wasm-opt"
export ESBUILD_BIN="$PWD/tests/node_modules/.bin/esbuild"
source .tools/wasm-toolchain.env
worker-build . --release --out-dir "$out" "${features[@]}"

# worker-build keeps the section of function names, a third of the size. These are its own features for wasm-opt:
# --all-features would write what workerd refuses to start.
"$WASM_OPT_BIN" --strip-debug --enable-{mutable-globals,sign-ext,nontrapping-float-to-int,bulk-memory,multivalue,reference-types,exception-handling} \
    "$wasm" -o "$wasm"

# What worker-build wrote stands behind the project's own entry.
mv "$out/index.js" "$out/generated.js"
cp src/entry.js "$out/index.js"

check_size
echo "$inputs" >"$stamp"
