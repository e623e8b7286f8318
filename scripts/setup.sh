#!/usr/bin/env bash
# Installs everything that building and testing need, under .tools/ and tests/node_modules/.
# What is in place is left alone: each step has a stamp that holds what the step depends on.
# WASM_TOOLCHAIN=rustup or WASM_TOOLCHAIN=debian chooses the compiler for wasm (docs/building.md); unset, the first that works.
set -euo pipefail
cd "$(dirname "$0")/.."

node_version=24.21.0
node_minimum=22.19.0
build_tools="wasm-bindgen-cli@0.2.129"
debian_packages="rustc-web cargo-web rust-web-src lld-22"
debian_lld=/usr/bin/lld-22

mkdir -p .tools/bin .tools/stamps .tools/log
export PATH="$PWD/.tools/bin:$PATH"
exec 3>&1
trap 'kill 0' INT # Background jobs do not get Ctrl-C by themselves.

say() { echo "setup: $*" >&3; }
fail() {
    printf 'setup: %s\n' "$@" >&2
    exit 1
}

# step NAME KEY HINT FUNCTION MADE: runs the function, unless it last succeeded with the same key and MADE is still there.
# bash ignores errexit inside a condition, so what must stop at its first error runs behind `&` and `wait`.
step() {
    local name=$1 key=$2 hint=$3 stamp=.tools/stamps/$1 log=.tools/log/$1.log start=$SECONDS
    [[ -f $stamp && $(<"$stamp") == "$key" && -e $5 ]] && return
    rm -f "$stamp"
    say "$name ..."
    "$4" >"$log" 2>&1 &
    if ! wait $!; then
        tail -n 20 "$log" >&2
        fail "$name failed (all of its output: $log)." "$hint"
    fi
    printf '%s' "$key" >"$stamp"
    say "$name: done in $((SECONDS - start)) s"
}

as_root() {
    if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

manifest_section() { sed -n "/^\[$1\]/,/^\$/p" Cargo.toml; }

# --- Rust for native builds ---

install_rust() {
    if command -v rustup && ! rustup run "$rust_channel" rustc --version; then
        rustup toolchain install "$rust_channel" --profile minimal --component clippy --component rustfmt
    fi
    cargo --version
    cargo clippy --version || rustup component add clippy
    cargo fmt --version || rustup component add rustfmt
}

# --- Rust for wasm, with the source of its standard library ---

std_features=optimize_for_size

# The environment of a wasm build. scripts/build-wasm.sh sources it, from the project's directory.
write_wasm_env() {
    cat >.tools/wasm-toolchain.env <<END
# Written by scripts/setup.sh: builds the standard library too, so that it is small.
export RUSTC_BOOTSTRAP=1
export RUSTFLAGS=-Cpanic=abort
export CARGO_UNSTABLE_BUILD_STD=std,panic_abort
export CARGO_UNSTABLE_BUILD_STD_FEATURES=$std_features
export CARGO_TARGET_DIR="\$PWD/target/wasm"
unset RUSTUP_TOOLCHAIN CARGO_ENCODED_RUSTFLAGS
$1
END
}

# Compiling is the proof. The empty crate has the project's profile, so the project's build reuses the standard library.
prove_wasm() {
    local probe=.tools/probe
    mkdir -p $probe/src
    {
        printf '[package]\nname = "probe"\nedition = "2024"\n\n[workspace]\n\n'
        manifest_section lib
        manifest_section profile.release
    } >$probe/Cargo.toml
    : >$probe/src/lib.rs
    source .tools/wasm-toolchain.env
    cargo build --release --target wasm32-unknown-unknown --manifest-path $probe/Cargo.toml
}

wasm_from_rustup() {
    command -v rustup
    rustup component add rust-src --toolchain "$rust_channel"
    rustup target add wasm32-unknown-unknown --toolchain "$rust_channel"
    write_wasm_env "# The compiler is rustup's, as rust-toolchain.toml names it."
    prove_wasm
    say "wasm: using rustup's compiler"
}

wasm_from_debian() {
    command -v apt-get
    if ! dpkg-query --show $debian_packages; then
        apt-cache show $debian_packages >/dev/null || as_root apt-get update
        as_root apt-get install --yes --no-install-recommends $debian_packages
    fi
    # Only these three go in front of PATH: the rest of /usr/bin, an old node for one, must not.
    local bin=.tools/debian-rust
    mkdir -p $bin
    ln -sf /usr/bin/cargo /usr/bin/rustc $bin/
    ln -sf $debian_lld $bin/rust-lld
    write_wasm_env "export PATH=\"\$PWD/$bin:\$PATH\" # Debian's compiler."
    prove_wasm
    say "wasm: using Debian's compiler"
}

install_wasm() {
    if [[ $wasm_toolchain == any ]]; then
        wasm_from_rustup &
        wait $! || wasm_from_debian
    else
        "wasm_from_$wasm_toolchain"
    fi
}

# --- The programs that turn it into a Worker, and those that run it ---

# Optimised less than usual: they run for seconds and compile for minutes.
install_build_tools() {
    export CARGO_TARGET_DIR="$PWD/.tools/target"
    export CARGO_PROFILE_RELEASE_OPT_LEVEL=1 CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
    cargo install --locked --root .tools $build_tools
    rm -rf .tools/target
}

node_is_recent() {
    local version
    version=$(node --version 2>/dev/null) && printf 'v%s\n%s\n' $node_minimum "$version" | sort --version-sort --check=quiet
}

install_node() {
    npm install --prefix .tools/node --no-save "node@$node_version"
    ln -sf ../node/node_modules/node/bin/node .tools/bin/node
    node_is_recent
}

install_npm_packages() { cd tests && npm ci; }

install_python_packages() {
    local environment
    for environment in python python-v1; do # The clients of both major versions have one name.
        rm -rf .tools/$environment
        python3 -m venv .tools/$environment
        .tools/$environment/bin/pip install --requirement tests/python/requirements${environment#python}.txt
    done
}

# --- In order ---

rust_channel=$(sed -n 's/^channel = "\(.*\)"/\1/p' rust-toolchain.toml)
wasm_toolchain=${WASM_TOOLCHAIN:-any}
[[ $wasm_toolchain =~ ^(any|rustup|debian)$ ]] || fail "WASM_TOOLCHAIN is rustup or debian, not $wasm_toolchain."
command -v cargo >/dev/null || fail "cargo is missing." "Install Rust with rustup (its home page is rustup.rs), then run this again."
command -v python3 >/dev/null || fail "python3 is missing." "Install Python 3.10 or later with its venv module, then run this again."
command -v npm >/dev/null || fail "npm is missing." "Install Node.js $node_minimum or later with npm, then run this again."

step rust "$rust_channel" "Rust $rust_channel with clippy and rustfmt is needed; rustup installs it." install_rust .tools/stamps
node_is_recent || step node "$node_version" "Install Node.js $node_minimum or later, then run this again." install_node .tools/bin/node

step npm-packages "$(node --version) $(cat tests/package.json tests/package-lock.json tests/.npmrc | cksum)" \
    "npm could not install tests/package-lock.json: is its registry reachable?" install_npm_packages tests/node_modules/.package-lock.json &
jobs=$!
step build-tools "$build_tools" "cargo could not install $build_tools: is its registry reachable?" install_build_tools .tools/bin/wasm-bindgen &
jobs+=" $!"
step python-packages "$(python3 --version) $(cat tests/python/*.txt | cksum)" \
    "Python's venv module and pip are needed (Debian: python3-venv), and pip's package index." install_python_packages .tools/python/bin/python &
jobs+=" $!"
step wasm "$wasm_toolchain $rust_channel $std_features $(manifest_section profile.release | cksum)" \
    "Needed: rustup with network (rust-src and wasm32-unknown-unknown), or Debian's $debian_packages." install_wasm .tools/wasm-toolchain.env &
jobs+=" $!"
for job in $jobs; do wait "$job"; done
say "ready"
