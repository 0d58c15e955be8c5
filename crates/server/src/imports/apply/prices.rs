//! Prices, as an administrator's. A model that has such a price here keeps it.

use std::collections::HashSet;

use store::StoreError;
use store::imports::Entity;
use store::prices::{self, NewPrice};

use super::work::{AT_ONCE, Made, Work};
use crate::imports::error::ImportError;
use crate::imports::plan::WantedPrice;

const PRICES: &str = "prices";
const SOURCE: &str = "administrator";

/// Sets the prices that were not imported before.
pub(super) async fn apply(
    work: &mut Work<'_>,
    wanted: Vec<WantedPrice>,
) -> Result<(), ImportError> {
    let known = work.known(Entity::Price).await?;
    let here = prices::all(work.means.store.read()).await?;
    let ids: HashSet<i64> = here.iter().map(|price| price.id.0).collect();
    let set = here.into_iter().filter(|price| price.source == SOURCE);
    let set: HashSet<String> = set.map(|price| price.model).collect();
    for some in wanted.chunks(AT_ONCE) {
        let begun = work.begin().await?;
        for price in some {
            if let Some(known) = known.get(&price.model) {
                let is_there = ids.contains(&known.our_id);
                work.is_known(PRICES, &price.model, is_there);
                continue;
            }
            if set.contains(&price.model) {
                let reason = "an administrator set a price for this model here";
                work.findings.leave_out(PRICES, &price.model, reason);
                continue;
            }
            if let Some((transaction, import)) = &begun {
                let new = NewPrice {
                    model: price.model.clone(),
                    effective_from: work.now,
                    sheet: serde_json::to_value(&price.sheet).map_err(StoreError::from)?,
                    source: SOURCE,
                    created_by: work.by.user,
                    now: work.now,
                };
                let made = prices::insert(transaction, new).await?;
                let made = Made::plain(Entity::Price, &price.model, made.id.0, "");
                work.note(transaction, *import, made).await?;
            }
            work.findings.count(PRICES).created += 1;
        }
        work.end(begun, some.len()).await?;
    }
    Ok(())
}
