//! What an import has to say: how much was carried over, and what was not, with the reason. Notes of
//! one reason are one line, so that a report stays short however large the source is.

use billing::pricing::{format_dollars, quota_of_nanos};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Names that a note lists.
const NAMED: usize = 20;

/// What became of something that a note is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// It was not carried over.
    LeftOut,
    /// It was carried over in another form.
    Changed,
    /// Somebody should look at it.
    Attention,
}

/// Something to know, and whom it concerns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportNote")]
pub struct Note {
    /// `groups`, `users`, `tokens`, `channels`, `codes`, `prices`, `settings`, `tables` or `source`.
    pub entity: String,
    /// What became of it.
    pub effect: Effect,
    /// Why.
    pub reason: String,
    /// How many it concerns.
    pub count: i64,
    /// The first of them.
    pub items: Vec<String>,
}

/// Notes, gathered by what they say.
#[derive(Clone, Debug, Default)]
pub struct Notes(Vec<Note>);

impl Notes {
    /// Adds one.
    pub fn add(&mut self, entity: &str, effect: Effect, item: impl Into<String>, reason: &str) {
        let same = |note: &&mut Note| {
            note.entity == entity && note.effect == effect && note.reason == reason
        };
        if let Some(note) = self.0.iter_mut().find(same) {
            note.count += 1;
            if note.items.len() < NAMED {
                note.items.push(item.into());
            }
            return;
        }
        self.0.push(Note {
            entity: entity.to_owned(),
            effect,
            reason: reason.to_owned(),
            count: 1,
            items: vec![item.into()],
        });
    }

    /// The notes.
    pub fn into_list(self) -> Vec<Note> {
        self.0
    }
}

/// How much of one kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportCount")]
pub struct Count {
    /// `groups`, `users`, `tokens`, `channels`, `codes` or `prices`.
    pub entity: String,
    /// In the source.
    pub found: i64,
    /// Made here; in a dry run, what would be made.
    pub created: i64,
    /// Carried over before, and left as it is.
    pub known: i64,
    /// Not carried over; the notes say why.
    pub left_out: i64,
}

/// The report of an import.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "ImportReport")]
pub struct Report {
    /// From what kind of gateway.
    pub kind: String,
    /// Which one of that kind.
    pub source: String,
    /// In what form it came.
    pub format: String,
    /// Whether nothing was done.
    pub dry_run: bool,
    /// The import, to undo it by; none for a dry run.
    pub import_id: Option<i64>,
    /// How much was carried over.
    pub counts: Vec<Count>,
    /// What was not, and why.
    pub notes: Vec<Note>,
    /// What was credited to wallets.
    pub credited_quota: i64,
    /// The same in dollars.
    pub credited_usd: String,
    /// What was credited to referral accounts.
    pub referral_quota: i64,
    /// The same in dollars.
    pub referral_usd: String,
}

/// A report in the making.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    counts: Vec<Count>,
    /// What there is to know.
    pub notes: Notes,
    /// What was credited to wallets, in nano-dollars.
    pub wallet_nanos: i64,
    /// What was credited to referral accounts, in nano-dollars.
    pub referral_nanos: i64,
}

impl Findings {
    /// The count of a kind.
    pub fn count(&mut self, entity: &str) -> &mut Count {
        let place = self.counts.iter().position(|count| count.entity == entity);
        let place = place.unwrap_or_else(|| {
            self.counts.push(Count {
                entity: entity.to_owned(),
                ..Count::default()
            });
            self.counts.len() - 1
        });
        &mut self.counts[place]
    }

    /// Something is not carried over.
    pub fn leave_out(&mut self, entity: &str, item: impl Into<String>, reason: &str) {
        self.count(entity).left_out += 1;
        self.notes.add(entity, Effect::LeftOut, item, reason);
    }

    /// Something is carried over in another form.
    pub fn changed(&mut self, entity: &str, item: impl Into<String>, reason: &str) {
        self.notes.add(entity, Effect::Changed, item, reason);
    }

    /// The finished report.
    pub fn report(self, of: &Origin, dry_run: bool, import_id: Option<i64>) -> Report {
        Report {
            kind: of.kind.clone(),
            source: of.source.clone(),
            format: of.format.clone(),
            dry_run,
            import_id,
            counts: self.counts,
            notes: self.notes.into_list(),
            credited_quota: quota_of_nanos(self.wallet_nanos),
            credited_usd: format_dollars(self.wallet_nanos),
            referral_quota: quota_of_nanos(self.referral_nanos),
            referral_usd: format_dollars(self.referral_nanos),
        }
    }
}

/// Where an import comes from.
#[derive(Clone, Debug)]
pub struct Origin {
    /// From what kind of gateway.
    pub kind: String,
    /// Which one of that kind.
    pub source: String,
    /// In what form.
    pub format: String,
}

/// How much of one kind was taken out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UndoCount")]
pub struct UndoCount {
    /// `groups`, `users`, `tokens`, `channels`, `codes` or `prices`.
    pub entity: String,
    /// Taken out.
    pub removed: i64,
    /// Left; the notes say why.
    pub kept: i64,
}

/// The report of an undo.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "UndoReport")]
pub struct UndoReport {
    /// The import.
    pub import_id: i64,
    /// How much was taken out.
    pub counts: Vec<UndoCount>,
    /// What was not, and why.
    pub notes: Vec<Note>,
    /// What was booked back from wallets and referral accounts.
    pub returned_quota: i64,
    /// The same in dollars.
    pub returned_usd: String,
}
