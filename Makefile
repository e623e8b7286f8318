# The commands of this project. `make dev` and `make test` set up what they need first; docs/building.md says what that is.

.DEFAULT_GOAL := help
.NOTPARALLEL:
.PHONY: help setup dev test bench growth token grants revoke doctor build build-faults schemas fmt lint native-test unicode-test endpoint-test histories soak fuzz audit clean

export PATH := $(CURDIR)/.tools/bin:$(PATH)

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup: ## install the tools under .tools/ and tests/node_modules/
	@scripts/setup.sh

dev: build ## run the Worker on this machine and print how to connect [PORT=8787]
	@node scripts/dev.mjs

token: ## make a token [CODEX=local SCOPES="notes:read notes:write" LABEL=laptop EXPIRES=30d URL=https://... or PORT=8787]
	@node scripts/token.mjs create

grants: ## list the grants of a codex [CODEX=local URL=...]
	@node scripts/token.mjs list

revoke: ## revoke a grant: GRANT=id, or GRANT=all [CODEX=local URL=...]
	@node scripts/token.mjs revoke

doctor: ## find what a host would trip over at a deployment: URL=https://host/mcp [TOKEN=acx_... TIMEOUT=10]
	@node scripts/doctor.mjs

build: setup ## build the Worker into build/
	@scripts/build-wasm.sh release

build-faults: setup ## build the Worker with deliberate faults, for tests, into build-faults/
	@scripts/build-wasm.sh faults

schemas: ## write mcp-tools.json and docs/tools.md from the constants of the server
	cargo run --quiet --example schemas

fmt: ## format the Rust source
	cargo fmt

# The edge and the object exist for wasm alone, so clippy sees them for that target alone. Debian's compiler has no clippy.
lint: ## check formatting and lints
	cargo fmt --check
	cargo fmt --check --manifest-path tests/histories/Cargo.toml
	cargo fmt --check --manifest-path fuzz/Cargo.toml
	cargo clippy --all-targets -- -D warnings
	@if rustup target list --installed 2>/dev/null | grep -qx wasm32-unknown-unknown; then \
		set -ex; \
		cargo clippy --target wasm32-unknown-unknown --lib -- -D warnings; \
		cargo clippy --target wasm32-unknown-unknown --lib --features faults -- -D warnings; \
	else \
		echo "lint: src/edge and src/object are NOT linted; that needs rustup's target wasm32-unknown-unknown"; \
	fi

native-test: unicode-test ## run the tests that need no wasm
	cargo test
	CARGO_TARGET_DIR=target/histories cargo test --quiet --manifest-path tests/histories/Cargo.toml

unicode-test: setup ## compare folding with Unicode's own data [SEED=n]
	@cargo build --quiet --example fold
	@node tests/unicode/case-folding.mjs > .tools/case-folding.json
	@.tools/python/bin/python tests/unicode/check_folding.py target/debug/examples/fold .tools/case-folding.json $(SEED)

endpoint-test: build build-faults ## run the tests of the built Worker: endpoint, conformance suite, official clients
	@rm -rf .tools/exchanges
	EXCHANGES=$(CURDIR)/.tools/exchanges node --test 'tests/*/*.test.mjs'
	@.tools/python/bin/python tests/exchanges/check_exchanges.py .tools/exchanges

histories: build ## record calls made at the same time and have them judged [HISTORIES=1000 SEED=n]
	@node tests/histories/run.mjs

soak: build ## kill the server at random moments under load and hold it to what it acknowledged [KILLS=200 MINUTES=30 SEED=n]
	@node tests/soak/run.mjs

TARGET ?= envelope
SECONDS ?= 60

fuzz: ## fuzz what reads bytes, with nightly Rust and cargo-fuzz [TARGET=envelope|arguments|cursor|credential|wire|form|token|folding|json SECONDS=60]
	@command -v cargo-fuzz >/dev/null && rustup run nightly rustc --version >/dev/null 2>&1 || { \
		echo "make fuzz: run \`rustup toolchain install nightly\` and \`cargo install cargo-fuzz --version 0.13.2 --locked\` first" >&2; \
		exit 1; \
	}
	@mkdir -p target/fuzz/$(TARGET)
	cargo +nightly fuzz run --target-dir target/fuzz-build $(TARGET) target/fuzz/$(TARGET) fuzz/corpus/$(TARGET) -- \
		-max_total_time=$(SECONDS) -max_len=4096

audit: ## look up the dependencies' advisories, and hold their licences and sources to deny.toml; needs the network
	@command -v cargo-deny >/dev/null || { \
		echo "make audit: run \`cargo install cargo-deny --version 0.20.2 --locked\` first" >&2; \
		exit 1; \
	}
	for manifest in Cargo.toml tests/histories/Cargo.toml fuzz/Cargo.toml; do \
		cargo deny --locked --manifest-path $$manifest --config deny.toml check --hide-inclusion-graph || exit 1; \
	done
	npm audit --prefix tests

test: setup ## everything: set-up, lints, native tests, both builds, endpoint tests
	@start=$$(date +%s); \
	for step in lint native-test build build-faults endpoint-test; do \
		$(MAKE) --no-print-directory $$step || { echo "make test: FAILED in $$step" >&2; exit 1; }; \
	done; \
	echo "make test: lints, native tests, both builds and endpoint tests passed in $$(($$(date +%s) - start)) s"

bench: build ## measure the server's CPU per call [PEER_DIR=folder of the peer and the floor, BENCH="--only get --seconds 8"]
	node tests/bench/run.mjs $(BENCH)

growth: ## measure how calls grow with the entries of a codex, natively [ENTRIES=1000000]
	cargo run --release --example growth -- $(or $(ENTRIES),1000000)

clean: ## remove what was built; keeps the tools (.tools/, tests/node_modules/) and local data (.dev/)
	rm -rf target build build-faults .wrangler
