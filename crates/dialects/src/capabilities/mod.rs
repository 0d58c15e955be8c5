//! What models can do, as data: `models.json` beside this file. The first row whose pattern fits
//! the model's name counts; a model that no row names gets its dialect's defaults, which are those
//! of a current model, because a model that we have not heard of is most likely new.

use std::sync::LazyLock;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::DialectId;
use crate::canonical::Effort;

/// What one model can do.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "a table of independent yes and no answers"
)]
pub struct Capabilities {
    /// Takes temperature, top-p, penalties and the like.
    pub sampling: bool,
    /// Takes temperature and top-p in one request.
    pub temperature_with_top_p: bool,
    /// How it is told to reason.
    pub thinking: ThinkingStyle,
    /// Whether reasoning can be switched off.
    pub thinking_off: bool,
    /// The efforts it takes, weakest first; empty: those of its dialect.
    pub efforts: Vec<String>,
    /// The smallest and largest thinking budget.
    pub budget: Option<(u64, u64)>,
    /// The most tokens it generates.
    pub max_output: Option<u64>,
    /// Looks at images.
    pub image: bool,
    /// Reads documents.
    pub document: bool,
    /// Reads documents beside PDF and text.
    pub office_documents: bool,
    /// Listens to audio.
    pub audio: bool,
    /// Continues an answer that the client began.
    pub prefill: bool,
    /// Takes system text between turns.
    pub mid_system: bool,
    /// Answers in the form of a schema.
    pub structured_output: bool,
    /// Holds its calls of a tool to the tool's schema.
    pub strict_tools: bool,
    /// Takes plain JSON Schema (generate content; else the `OpenAPI` subset).
    pub json_schema: bool,
    /// Takes ids on tool calls and results (generate content).
    pub call_ids: bool,
    /// Demands a thought signature on tool calls (generate content).
    pub call_signatures: bool,
    /// Takes images and documents inside tool results (generate content).
    pub media_results: bool,
    /// Takes explicit cache marks (chat completions, responses).
    pub cache_marks: bool,
    /// Takes functions and hosted tools in one request.
    pub mixed_tools: bool,
}

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            sampling: true,
            temperature_with_top_p: true,
            thinking: ThinkingStyle::Effort,
            thinking_off: true,
            efforts: Vec::new(),
            budget: None,
            max_output: None,
            image: true,
            document: true,
            office_documents: true,
            audio: true,
            prefill: true,
            mid_system: false,
            structured_output: true,
            strict_tools: true,
            json_schema: true,
            call_ids: false,
            call_signatures: false,
            media_results: false,
            cache_marks: false,
            mixed_tools: true,
        }
    }
}

/// How a model is told to reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ThinkingStyle {
    /// It does not.
    None,
    /// By a number of tokens.
    Budget,
    /// It decides, guided by an effort (messages).
    Adaptive,
    /// By a level (generate content).
    Level,
    /// By an effort (chat completions, responses).
    Effort,
}

impl Capabilities {
    /// What this model can do when it is spoken to in this dialect.
    pub fn of(dialect: DialectId, model: &str) -> &'static Self {
        let table = &*TABLE;
        let model = model.rsplit('/').next().unwrap_or(model);
        let mut rows = table.rows.iter();
        rows.find(|row| row.dialect == dialect && row.matches(model))
            .map_or(&table.unknown, |row| &row.can)
    }

    /// The nearest effort that the model takes: too strong ones go down, too weak ones up.
    pub fn nearest_effort(&self, effort: &Effort) -> Option<Effort> {
        let wanted = STRENGTH.iter().position(|word| *word == effort.word())?;
        let rank = |word: &String| STRENGTH.iter().position(|known| known == word);
        if self.efforts.is_empty() {
            return Some(effort.clone());
        }
        let below = self
            .efforts
            .iter()
            .rev()
            .find(|word| rank(word).is_some_and(|r| r <= wanted));
        below
            .or(self.efforts.first())
            .map(|word| Effort::read(word))
    }
}

/// Efforts, weakest first.
const STRENGTH: [&str; 7] = ["none", "minimal", "low", "medium", "high", "xhigh", "max"];

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Row {
    #[serde(deserialize_with = "named")]
    dialect: DialectId,
    /// Beginnings of model names; `*` alone fits every name.
    models: Vec<String>,
    #[serde(default)]
    can: Capabilities,
}

impl Row {
    fn matches(&self, model: &str) -> bool {
        self.models
            .iter()
            .any(|start| start == "*" || begins_with(model, start))
    }
}

/// Names of models are the same in capitals; the table has none.
fn begins_with(model: &str, start: &str) -> bool {
    let mut both = start.bytes().zip(model.bytes());
    start.len() <= model.len() && both.all(|(wanted, byte)| wanted == byte.to_ascii_lowercase())
}

fn named<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DialectId, D::Error> {
    let name = String::deserialize(deserializer)?;
    DialectId::from_name(&name).ok_or_else(|| D::Error::custom("no dialect has this name"))
}

struct Table {
    rows: Vec<Row>,
    /// Where no row fits.
    unknown: Capabilities,
}

static TABLE: LazyLock<Table> = LazyLock::new(|| Table {
    rows: serde_json::from_str(include_str!("models.json"))
        .expect("a test reads this embedded table"),
    unknown: Capabilities::default(),
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_reads_and_each_dialect_has_a_last_row_for_unknown_models() {
        for dialect in DialectId::ALL {
            let rows: Vec<_> = TABLE
                .rows
                .iter()
                .filter(|row| row.dialect == dialect)
                .collect();
            assert_eq!(
                rows.last().map(|row| row.models.as_slice()),
                Some(&["*".to_owned()][..])
            );
        }
    }

    #[test]
    fn a_known_model_differs_from_an_unknown_one() {
        let old = Capabilities::of(DialectId::Messages, "claude-3-7-sonnet-20250219");
        let new = Capabilities::of(DialectId::Messages, "vendor/claude-next-1");
        let capitals = Capabilities::of(DialectId::Messages, "Claude-3-7-Sonnet-20250219");
        assert_eq!(old, capitals);
        assert_eq!(old.thinking, ThinkingStyle::Budget);
        assert_eq!(new.thinking, ThinkingStyle::Adaptive);
    }

    #[test]
    fn an_effort_that_a_model_does_not_take_is_moved_to_the_nearest() {
        let can = Capabilities {
            efforts: ["low", "medium", "high"].map(str::to_owned).to_vec(),
            ..Capabilities::default()
        };
        assert_eq!(can.nearest_effort(&Effort::Max), Some(Effort::High));
        assert_eq!(can.nearest_effort(&Effort::Minimal), Some(Effort::Low));
        assert_eq!(can.nearest_effort(&Effort::Medium), Some(Effort::Medium));
        assert_eq!(can.nearest_effort(&Effort::Other("odd".into())), None);
    }
}
