//! The fuzzer's targets without the fuzzer: over their corpora (`fuzz/corpus/`), and over a fixed number of changes of
//! them and of random bytes.

mod support;

use std::fs;
use std::path::Path;

use support::fuzz::TARGETS;
use support::random::Random;

const CHANGES: usize = 3_000;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    files.into_iter().map(|file| fs::read(file).unwrap()).collect()
}

/// Changes bytes in one to four places, as fuzzers do.
fn change(random: &mut Random, bytes: &mut Vec<u8>, others: &[Vec<u8>]) {
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len() + 1);
        match random.below(6) {
            0 => bytes.insert(at, random.next().to_le_bytes()[0]),
            1 if at < bytes.len() => bytes[at] ^= 1 << random.below(8),
            2 if at < bytes.len() => bytes[at] = random.next().to_le_bytes()[0],
            3 => bytes.truncate(at),
            4 => {
                let until = at + random.below(bytes.len() - at + 1);
                let part = bytes[at..until].to_vec();
                bytes.extend(part);
            }
            _ => {
                let other = random.pick(others);
                let from = random.below(other.len() + 1);
                bytes.splice(at..at, other[from..].iter().copied().take(40));
            }
        }
    }
    bytes.truncate(4_096);
}

#[test]
fn no_bytes_break_what_reads_them() {
    for (name, target) in TARGETS {
        let corpus = corpus(name);
        assert!(corpus.len() >= 4, "{name} has a corpus");
        for bytes in &corpus {
            target(bytes);
        }
        let mut random = Random(7);
        for _ in 0..CHANGES {
            let mut bytes = random.pick(&corpus).clone();
            if random.one_in(5) {
                bytes = (0..random.below(80)).map(|_| random.next().to_le_bytes()[0]).collect();
            }
            change(&mut random, &mut bytes, &corpus);
            target(&bytes);
        }
    }
}
