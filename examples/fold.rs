//! Folds each line of standard input, a JSON string, for the comparison with Unicode's own data (`tests/unicode`).

use std::io::{BufRead, Write};

use agent_codex::notebook::text::fold;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    for line in std::io::stdin().lock().lines() {
        let text: String = serde_json::from_str(&line?)?;
        writeln!(output, "{}", serde_json::to_string(&fold(&text))?)?;
    }
    Ok(output.flush()?)
}
