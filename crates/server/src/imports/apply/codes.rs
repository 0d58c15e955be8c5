//! Redemption codes that people may still redeem, here from now on.

use std::collections::HashSet;

use store::imports::Entity;
use store::redemption_codes::{self, NewRedemptionCodes};
use store::{ImportId, RedemptionCodeId, StoreError, Transaction};

use super::work::{AT_ONCE, Made, Work};
use crate::imports::error::ImportError;
use crate::imports::plan::WantedCode;
use crate::payments::hash_redemption_code;
use crate::secrets::TokenHash;

const CODES: &str = "codes";

/// Makes the codes that were not imported before.
pub(super) async fn apply(work: &mut Work<'_>, wanted: &[WantedCode]) -> Result<(), ImportError> {
    let known = work.known(Entity::Code).await?;
    let mut given = HashSet::new();
    for some in wanted.chunks(AT_ONCE) {
        let begun = work.begin().await?;
        for code in some {
            let item = format!("{} {}", code.foreign_id, code.name);
            let records = work.means.store.read();
            if let Some(known) = known.get(&code.foreign_id) {
                let id = RedemptionCodeId(known.our_id);
                let is_there = redemption_codes::get(records, id).await?.is_some();
                work.is_known(CODES, &item, is_there);
                continue;
            }
            let hash = hash_redemption_code(work.means.keys, code.code.expose());
            let is_taken =
                !given.insert(hash) || redemption_codes::find(records, &hash).await?.is_some();
            if is_taken {
                let reason = "the same code is here already";
                work.findings.leave_out(CODES, item, reason);
                continue;
            }
            if let Some((transaction, import)) = &begun {
                insert(work, transaction, *import, code, hash).await?;
            }
            work.findings.count(CODES).created += 1;
        }
        work.end(begun, some.len()).await?;
    }
    Ok(())
}

async fn insert(
    work: &Work<'_>,
    transaction: &Transaction,
    import: ImportId,
    code: &WantedCode,
    hash: TokenHash,
) -> Result<(), ImportError> {
    let new = NewRedemptionCodes {
        name: code.name.clone(),
        code_hashes: vec![hash.to_vec()],
        credit_nanos: code.credit_nanos,
        created_by: work.by.user,
        expires_at: code.expires_at,
        now: code.created_at.unwrap_or(work.now),
    };
    redemption_codes::insert(transaction, new).await?;
    let made = redemption_codes::find(transaction, &hash).await?;
    let made = made.ok_or_else(|| StoreError::Stale("a redemption code".to_owned()))?;
    if code.is_disabled {
        redemption_codes::set_disabled(transaction, made.id, Some(work.now)).await?;
    }
    let made = Made::plain(Entity::Code, &code.foreign_id, made.id.0, "");
    work.note(transaction, import, made).await
}
