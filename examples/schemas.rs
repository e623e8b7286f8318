//! Writes the tool listing as it is served: `make schemas` puts it into `mcp-tools.json`.

fn main() {
    println!("{}", agent_codex::mcp::listing::file());
}
