//! Our own fixtures: every shape of every dialect, in our own words.

use std::path::Path;

use dialects::DialectId;
use serde_json::Value;

/// What a fixture is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Request,
    Reply,
    Stream,
    Error,
}

/// One fixture.
pub struct Fixture {
    pub dialect: DialectId,
    pub kind: Kind,
    /// `messages/request-plain`
    pub title: String,
    pub bytes: Vec<u8>,
}

impl Fixture {
    /// Its body.
    pub fn json(&self) -> Value {
        let read = serde_json::from_slice(&self.bytes);
        read.unwrap_or_else(|error| panic!("{} is no JSON: {error}", self.title))
    }
}

/// The folder of a dialect's fixtures.
pub fn folder(id: DialectId) -> &'static str {
    match id {
        DialectId::ChatCompletions => "chat_completions",
        DialectId::TextCompletions => "text_completions",
        DialectId::Messages => "messages",
        DialectId::GenerateContent => "generate_content",
        DialectId::Responses => "responses",
    }
}

/// All fixtures, sorted.
pub fn all() -> Vec<Fixture> {
    let mut found = Vec::new();
    for dialect in DialectId::ALL {
        let folder = folder(dialect);
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("fixtures")
            .join(folder);
        for entry in std::fs::read_dir(path).expect("every dialect has fixtures") {
            let path = entry.expect("the folder can be read").path();
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let stem = stem.expect("a fixture's name is plain text");
            let Some(kind) = kind_of(stem) else { continue };
            found.push(Fixture {
                dialect,
                kind,
                title: format!("{folder}/{stem}"),
                bytes: std::fs::read(&path).expect("a fixture can be read"),
            });
        }
    }
    found.sort_by(|a, b| a.title.cmp(&b.title));
    found
}

/// All fixtures of this kind.
pub fn of(kind: Kind) -> Vec<Fixture> {
    all().into_iter().filter(|one| one.kind == kind).collect()
}

fn kind_of(stem: &str) -> Option<Kind> {
    match stem.split('-').next()? {
        "request" => Some(Kind::Request),
        "reply" => Some(Kind::Reply),
        "stream" => Some(Kind::Stream),
        "error" => Some(Kind::Error),
        // Token counts are their dialects' own matter.
        _ => None,
    }
}
