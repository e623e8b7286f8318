//! Writes what is made from the constants that the server itself uses: `mcp-tools.json`, the tool listing as it is
//! served, and `docs/tools.md`, the page about the tools. `make schemas` runs it.

mod page;

fn main() -> std::io::Result<()> {
    std::fs::write("mcp-tools.json", agent_codex::mcp::listing::file() + "\n")?;
    std::fs::write("docs/tools.md", page::page())
}
