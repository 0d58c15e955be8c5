//! Groups. One that is here already stays as it is.

use billing::pricing::Multiplier;
use store::groups::{self, GroupChanges};
use store::imports::Entity;
use store::{GroupId, StoreError, Transaction};

use super::work::{Made, Work};
use crate::imports::error::ImportError;
use crate::imports::plan::WantedGroup;
use crate::imports::report::Effect;

const GROUPS: &str = "groups";
const LIST_PRICE_PPM: i64 = 1_000_000;

/// Makes the groups that are not here.
pub(super) async fn apply(work: &mut Work<'_>, wanted: &[WantedGroup]) -> Result<(), ImportError> {
    let known = work.known(Entity::Group).await?;
    let begun = work.begin().await?;
    for group in wanted {
        let multiplier = group.multiplier_ppm.unwrap_or(LIST_PRICE_PPM);
        let here = groups::get(work.means.store.read(), &group.name).await?;
        if known.contains_key(&group.name) {
            work.is_known(GROUPS, &group.name, here.is_some());
            continue;
        }
        if let Some(here) = here {
            work.findings.count(GROUPS).known += 1;
            if group.multiplier_ppm.is_some() && here.multiplier_ppm != multiplier {
                let (theirs, ours) = (factor(multiplier), factor(here.multiplier_ppm));
                let item = format!("{}: {theirs} there, {ours} here", group.name);
                let reason = "a group of this name is here already and keeps its multiplier";
                let notes = &mut work.findings.notes;
                notes.add(GROUPS, Effect::Attention, item, reason);
            }
            if group.choice.is_some() && !here.is_selectable {
                let reason = "a group of this name is here already: say yourself whether users may \
                              choose it for their tokens";
                let notes = &mut work.findings.notes;
                notes.add(GROUPS, Effect::Attention, &group.name, reason);
            }
            continue;
        }
        work.findings.count(GROUPS).created += 1;
        if let Some((transaction, import)) = &begun {
            let id = insert(transaction, group, multiplier, work.now).await?;
            let made = Made::plain(Entity::Group, &group.name, id.0, "");
            work.note(transaction, *import, made).await?;
        }
    }
    work.end(begun, wanted.len()).await
}

async fn insert(
    transaction: &Transaction,
    group: &WantedGroup,
    multiplier: i64,
    now: i64,
) -> Result<GroupId, StoreError> {
    let about = group.choice.as_deref().filter(|about| !about.is_empty());
    let about = about.unwrap_or("imported");
    let made = groups::insert(transaction, &group.name, about, multiplier, now).await?;
    if group.choice.is_some() {
        let changes = GroupChanges {
            is_selectable: Some(true),
            ..GroupChanges::default()
        };
        groups::update(transaction, made.id, changes).await?;
    }
    Ok(made.id)
}

fn factor(millionths: i64) -> String {
    Multiplier::of_millionths(millionths).map_or_else(String::new, |factor| factor.to_string())
}
