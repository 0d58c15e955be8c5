//! Items of kept answers, found by their ids alone: a client may refer to what it was answered instead of sending it again.

use std::collections::{BTreeMap, HashSet};

use serde_json::Value;
use store::{StoreError, UserId, responses};

use super::document::Kept;
use crate::app::App;

/// Items whose ids are longer are not found by them.
const LONGEST_ID: usize = 256;
/// Nor are more items of one answer.
const MOST_ITEMS: usize = 256;

/// The ids of what an answer has made, by which it is found.
pub(super) fn ids(kept: &Kept) -> Vec<String> {
    let mut seen = HashSet::new();
    let ids = kept.output().iter().filter_map(id_of);
    let ids = ids.filter(|id| is_id(id) && seen.insert(*id));
    ids.take(MOST_ITEMS).map(str::to_owned).collect()
}

/// Items of a user's kept answers by their ids; what is not found is not there.
pub async fn find_items(
    app: &App,
    user: UserId,
    ids: &[String],
) -> Result<BTreeMap<String, Value>, StoreError> {
    let mut wanted: HashSet<&str> = ids.iter().map(String::as_str).collect();
    wanted.retain(|id| is_id(id));
    let mut found = BTreeMap::new();
    app.shelf()
        .each_waiting(user, |kept| take(kept, &mut wanted, &mut found));
    let left: Vec<String> = wanted.iter().map(|id| (*id).to_owned()).collect();
    let mut makers = responses::makers_of(app.store().read(), user, &left).await?;
    makers.sort_unstable();
    makers.dedup();
    // One after the other: each may be large.
    for maker in makers {
        if let Some(kept) = app.shelf().find(app, user, &maker).await? {
            take(&kept, &mut wanted, &mut found);
        }
    }
    Ok(found)
}

/// Takes the wanted items out of an answer.
fn take(kept: &Kept, wanted: &mut HashSet<&str>, found: &mut BTreeMap<String, Value>) {
    for item in kept.output() {
        if let Some(id) = id_of(item)
            && wanted.remove(id)
        {
            found.insert(id.to_owned(), item.clone());
        }
    }
}

fn id_of(item: &Value) -> Option<&str> {
    item.get("id").and_then(Value::as_str)
}

/// Whether this can be an id, and every database takes it.
fn is_id(id: &str) -> bool {
    !id.is_empty() && id.len() <= LONGEST_ID && !id.contains('\0')
}
