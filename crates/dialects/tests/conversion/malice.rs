//! The fuzz targets for a few seconds: fixtures, damaged in the same ways in every run. The long
//! hunt with coverage feedback is `scripts/fuzz`.

#[path = "../../fuzz/src/targets.rs"]
mod targets;

use std::path::Path;

use crate::cuts::Random;
use targets::Reader;

/// Words that break naive readers.
const NASTY: [&str; 16] = [
    "null",
    "[]",
    "{}",
    "\"\"",
    "-1",
    "18446744073709551615",
    "1e999",
    "\\ud800",
    "\\u0000",
    "\u{feff}",
    "data: ",
    "\n\n",
    "[DONE]",
    "\"type\":",
    "\"index\":4294967295",
    "[[[[[[[[",
];

#[test]
fn no_damaged_input_breaks_a_reader() {
    let mut random = Random(0xdead_beef);
    for target in targets::all() {
        let seeds = seeds(target.reader);
        assert!(!seeds.is_empty(), "{} has seeds", target.name);
        let rounds = match target.reader {
            Reader::Stream(_) => 60,
            Reader::Request(_) => 90,
            _ => 200,
        };
        for round in 0..rounds {
            let mut input = seeds[round % seeds.len()].clone();
            for _ in 0..=random.below(3) {
                damage(&mut input, &seeds, &mut random);
            }
            let shown = input.clone();
            let survived = std::panic::catch_unwind(|| target.run(&shown));
            let text = String::from_utf8_lossy(&input);
            assert!(survived.is_ok(), "{} broke on: {text}", target.name);
        }
    }
}

#[test]
fn no_fixture_breaks_a_reader() {
    for target in targets::all() {
        for seed in seeds(target.reader) {
            target.run(&seed);
        }
    }
}

fn seeds(reader: Reader) -> Vec<Vec<u8>> {
    let (folders, prefix): (Vec<&str>, &str) = match reader {
        Reader::Request(id) => (vec![targets::folder(id)], "request-"),
        Reader::Reply(id) => (vec![targets::folder(id)], "reply-"),
        Reader::Stream(id) => (vec![targets::folder(id)], "stream-"),
        Reader::Error(id) => (vec![targets::folder(id)], "error-"),
        Reader::Scan => (
            vec!["chat_completions", "messages", "responses"],
            "request-",
        ),
        Reader::ServerSentEvents => (vec!["chat_completions", "messages"], "stream-"),
        Reader::JsonArray => (vec!["generate_content"], "reply-"),
    };
    let mut found = Vec::new();
    for folder in folders {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(folder);
        for entry in std::fs::read_dir(folder)
            .expect("there are fixtures")
            .flatten()
        {
            if entry.file_name().to_string_lossy().starts_with(prefix) {
                let bytes = std::fs::read(entry.path()).expect("a fixture can be read");
                found.push((entry.file_name(), bytes));
            }
        }
    }
    found.sort();
    found.into_iter().map(|(_, bytes)| bytes).collect()
}

/// Changes the input in one way.
fn damage(input: &mut Vec<u8>, seeds: &[Vec<u8>], random: &mut Random) {
    let from = random.below(input.len());
    let to = (from + random.below(40)).min(input.len());
    match random.below(7) {
        0 => input.truncate(from),
        1 => drop(input.drain(from..to)),
        2 => {
            let piece = input[from..to].to_vec();
            input.splice(to..to, piece);
        }
        3 => {
            let word = NASTY[random.below(NASTY.len())];
            input.splice(from..to, word.bytes());
        }
        4 => {
            let word = NASTY[random.below(NASTY.len())];
            input.splice(from..from, word.bytes());
        }
        5 => {
            let other = &seeds[random.below(seeds.len())];
            let tail = &other[random.below(other.len())..];
            input.truncate(from);
            input.extend_from_slice(tail);
        }
        _ => {
            if let Some(byte) = input.get_mut(from) {
                *byte = u8::try_from(random.below(256)).expect("below 256");
            }
        }
    }
}
