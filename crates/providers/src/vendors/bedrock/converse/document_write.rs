//! Documents: Amazon wants a format by its short name, and a name that is unlike all others in the
//! request and made of few characters.

use std::collections::{HashMap, HashSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use dialects::canonical::{Failure, Media, MediaSource};
use serde_json::{Value, json};

use super::content_write::{refused, s3_uri};

/// The longest name.
const LONGEST_NAME: usize = 200;

/// Names of documents, each different.
#[derive(Debug, Default)]
pub(super) struct DocumentNames {
    taken: HashSet<String>,
    /// Number of the next document with a name.
    next: HashMap<String, u32>,
}

impl DocumentNames {
    /// Writes a document under a name of its own.
    pub(super) fn write(&mut self, media: &Media) -> Result<Value, Failure> {
        let given = media.name.as_deref().or(media.title.as_deref());
        let (format, source) = match &media.source {
            MediaSource::Inline { mime, data } => (format_of(mime), json!({ "bytes": data })),
            MediaSource::Text(text) => (
                Some("txt"),
                json!({ "bytes": STANDARD.encode(text.as_bytes()) }),
            ),
            source => {
                let uri = s3_uri(source)?;
                let ending = uri.rsplit('.').next().unwrap_or_default();
                let location = json!({ "s3Location": { "uri": uri } });
                (format_of_ending(ending), location)
            }
        };
        let format = format.or_else(|| format_of_ending(given?.rsplit('.').next()?));
        let format = format.ok_or_else(|| refused("does not take documents of this type"))?;
        let name = self.name(given.unwrap_or_default());
        let mut document = json!({ "format": format, "name": name, "source": source });
        if let Some(context) = &media.context {
            document["context"] = json!(context);
        }
        let cites = media.citations.as_ref().and_then(|it| it.get("enabled"));
        if cites.and_then(Value::as_bool) == Some(true) {
            document["citations"] = json!({ "enabled": true });
        }
        Ok(json!({ "document": document }))
    }

    fn name(&mut self, given: &str) -> String {
        let stem = given.rsplit_once('.').map_or(given, |(stem, _)| stem);
        let allowed = |c: char| c.is_ascii_alphanumeric() || "-()[]".contains(c);
        let spaced: String = stem
            .chars()
            .map(|c| if allowed(c) { c } else { ' ' })
            .take(LONGEST_NAME - 8)
            .collect();
        let words: Vec<&str> = spaced.split_whitespace().collect();
        let plain = match words.join(" ") {
            empty if empty.is_empty() => "document".to_owned(),
            plain => plain,
        };
        let next = self.next.entry(plain.clone()).or_insert(1);
        loop {
            let name = match *next {
                1 => plain.clone(),
                number => format!("{plain} {number}"),
            };
            *next += 1;
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

fn format_of(mime: &str) -> Option<&'static str> {
    Some(match mime {
        "application/pdf" => "pdf",
        "text/csv" => "csv",
        "application/msword" => "doc",
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document" => "docx",
        "application/vnd.ms-excel" => "xls",
        "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" => "xlsx",
        "text/html" => "html",
        "text/plain" => "txt",
        "text/markdown" => "md",
        _ => return None,
    })
}

fn format_of_ending(ending: &str) -> Option<&'static str> {
    let ending = ending.to_ascii_lowercase();
    let known = [
        "pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md",
    ];
    known.into_iter().find(|format| *format == ending)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_differ() {
        let mut names = DocumentNames::default();
        assert_eq!(names.name("Q3 report_final.v2.pdf"), "Q3 report final v2");
        assert_eq!(
            names.name("Q3  report/final v2.pdf"),
            "Q3 report final v2 2"
        );
        assert_eq!(names.name("…"), "document");
        assert_eq!(names.name(""), "document 2");
        assert!(names.name(&"x".repeat(500)).len() <= LONGEST_NAME);
    }

    #[test]
    fn bulk_of_documents_with_one_name_gets_different_names() {
        let mut names = DocumentNames::default();
        assert_eq!(names.name("a 3"), "a 3");
        let all: HashSet<String> = (0..5_000).map(|_| names.name("a")).collect();
        assert_eq!(all.len(), 5_000);
        assert!(all.contains("a") && !all.contains("a 3") && all.contains("a 5001"));
    }
}
