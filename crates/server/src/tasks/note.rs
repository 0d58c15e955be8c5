//! What tasks say to people: in English, and as a word with its values for clients that say it in another
//! language.

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

/// What a task says, at its beginning or at its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "code", content = "values", rename_all = "snake_case")]
pub enum TaskNote {
    /// It exports calls.
    ExportsCalls,
    /// It makes users of rows.
    ReadsRows {
        /// How many.
        count: usize,
    },
    /// It changes channels.
    ChangesChannels {
        /// How many.
        count: usize,
    },
    /// It tests channels.
    TestsChannels,
    /// It carries over from another gateway.
    Imports {
        /// Which.
        source: String,
    },
    /// It tries that without writing anything.
    TriesImport {
        /// Which.
        source: String,
    },
    /// It undoes an import.
    UndoesImport {
        /// Which.
        import: i64,
    },
    /// It came to its end.
    Done,
    /// Somebody asked for its end.
    Cancelled,
    /// Somebody asked for its end when a part was done.
    CancelledHalfWay,
    /// The same of an import.
    ImportCancelled,
    /// It could not go on.
    BrokeOff,
    /// It could not go on, for this reason.
    Failed {
        /// In English.
        reason: String,
    },
    /// Every channel was changed.
    AllChanged,
    /// Some channels were not changed.
    LeftOut {
        /// Each with its id and the reason, in English.
        problems: String,
    },
    /// How the tests went.
    Tested {
        /// How many there were.
        count: usize,
        /// How many failed.
        failed: usize,
    },
    /// What was carried over.
    CarriedOver {
        /// How many records.
        count: i64,
    },
    /// What would be.
    WouldCarryOver {
        /// How many records.
        count: i64,
    },
    /// What was taken out again.
    TakenOut {
        /// How many records.
        count: i64,
    },
    /// The same, where something stayed.
    TakenOutInPart {
        /// How many records.
        count: i64,
        /// How many stayed.
        kept: i64,
    },
    /// What became of the rows.
    UsersMade {
        /// How many users.
        count: usize,
        /// How many rows became none.
        refused: usize,
    },
    /// Its node is gone.
    NodeGone,
    /// Whoever asked for it has left.
    NobodyWaited,
}

impl fmt::Display for TaskNote {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ReadsRows { count } => write!(formatter, "{count} rows"),
            Self::ChangesChannels { count } => write!(formatter, "{count} channels"),
            Self::Imports { source } => write!(formatter, "Import from {source}"),
            Self::TriesImport { source } => write!(formatter, "Dry run from {source}"),
            Self::UndoesImport { import } => write!(formatter, "Undoing import {import}"),
            Self::Failed { reason } => formatter.write_str(reason),
            Self::LeftOut { problems } => write!(formatter, "Left out: {problems}"),
            Self::Tested { count, failed } => write!(formatter, "{failed} of {count} failed."),
            Self::CarriedOver { count } => {
                write!(
                    formatter,
                    "{} carried over.",
                    records(*count, "was", "were")
                )
            }
            Self::WouldCarryOver { count } => {
                let records = records(*count, "would be", "would be");
                write!(formatter, "{records} carried over.")
            }
            Self::TakenOut { count } => {
                write!(formatter, "{} taken out.", records(*count, "was", "were"))
            }
            Self::TakenOutInPart { count, kept } => {
                let records = records(*count, "was", "were");
                write!(formatter, "{records} taken out, {kept} kept.")
            }
            Self::UsersMade { count, refused } => {
                write!(
                    formatter,
                    "{count} users were made, {refused} rows refused."
                )
            }
            fixed => formatter.write_str(fixed.sentence()),
        }
    }
}

impl TaskNote {
    /// What has no values.
    fn sentence(&self) -> &'static str {
        match self {
            Self::ExportsCalls => "Export of calls",
            Self::TestsChannels => "Test of channels",
            Self::Cancelled => "Cancelled.",
            Self::CancelledHalfWay => "Cancelled half-way.",
            Self::ImportCancelled => {
                "It was cancelled half-way; what was made until then can be undone."
            }
            Self::BrokeOff => "It broke off.",
            Self::AllChanged => "All were changed.",
            Self::NodeGone => "The node that worked on it is gone.",
            Self::NobodyWaited => "Nobody waited for its end.",
            _ => "Done.",
        }
    }

    /// As JSON for the records.
    pub(super) fn json(&self) -> String {
        serde_json::to_string(self).expect("it has string keys and no failing serializer")
    }
}

fn records(count: i64, one: &str, many: &str) -> String {
    match count {
        1 => format!("1 record {one}"),
        _ => format!("{count} records {many}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_note_is_a_sentence_and_a_word_with_values() {
        let note = TaskNote::WouldCarryOver { count: 1 };
        assert_eq!(note.to_string(), "1 record would be carried over.");
        let expected = r#"{"code":"would_carry_over","values":{"count":1}}"#;
        assert_eq!(note.json(), expected);
        assert_eq!(TaskNote::NodeGone.json(), r#"{"code":"node_gone"}"#);
        let part = TaskNote::TakenOutInPart { count: 3, kept: 1 };
        assert_eq!(part.to_string(), "3 records were taken out, 1 kept.");
    }
}
