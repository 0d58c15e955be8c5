//! Taking an import out again: exactly what it made, in the reverse order, and its money booked back.
//! Users who did something here since are kept, with their tokens and their money, and named.

use std::collections::HashSet;

use billing::credits::take_back;
use billing::pricing::{format_dollars, quota_of_nanos};
use serde_json::json;
use store::audit_log::{self, NewAuditEntry};
use store::imports::{self, Entity, ImportItem, ImportState};
use store::ledger::{self, Account, Credit, Movement};
use store::users::{self, Role, Status};
use store::{
    Alone, ChannelId, ConnectionTrait, GroupId, ImportId, PriceId, RedemptionCodeId, StoreError,
    TokenId, Transaction, UserId, alone, channels, groups, prices, redemption_codes, tokens,
};

use super::apply::{By, Means, Watch};
use super::error::ImportError;
use super::report::{Effect, Notes, UndoCount, UndoReport};
use crate::accounts::DEFAULT_GROUP;
use crate::tasks::SILENCE_MS;

/// Records of one transaction.
const AT_ONCE: usize = 50;

/// The order: whoever refers to others goes before them.
const ORDER: [Entity; 6] = [
    Entity::Code,
    Entity::Price,
    Entity::Token,
    Entity::Channel,
    Entity::User,
    Entity::Group,
];

/// Takes an import out.
pub async fn undo_import(
    means: Means<'_>,
    by: &By,
    id: ImportId,
    watch: &mut Watch,
) -> Result<UndoReport, ImportError> {
    begin(means, by, id).await?;
    let mut undo = Undo {
        means,
        by,
        id,
        kept_users: HashSet::new(),
        counts: Vec::new(),
        notes: Notes::default(),
        returned_nanos: 0,
    };
    let outcome = undo.run(watch).await;
    let report = UndoReport {
        import_id: id.0,
        counts: undo.counts,
        notes: undo.notes.into_list(),
        returned_quota: quota_of_nanos(undo.returned_nanos),
        returned_usd: format_dollars(undo.returned_nanos),
    };
    finish(means, id, &report).await?;
    outcome.map(|()| report)
}

async fn begin(means: Means<'_>, by: &By, id: ImportId) -> Result<(), ImportError> {
    let now = means.clock.now_ms();
    let transaction = means.store.write().await?;
    alone(&transaction, Alone::Imports).await?;
    if imports::get(&transaction, id).await?.is_none() {
        return Err(ImportError::Unknown);
    }
    if imports::is_anybody_at_it(&transaction, now - SILENCE_MS).await? {
        return Err(ImportError::Busy);
    }
    if !imports::begin_undo(&transaction, id, now).await? {
        return Err(ImportError::Undone);
    }
    let entry = NewAuditEntry {
        created_at: now,
        actor_id: by.user,
        action: "import.undo".to_owned(),
        object_kind: "import".to_owned(),
        object_id: id.to_string(),
        changes: json!({}),
        outcome: "done".to_owned(),
        ip: by.ip.clone(),
        request_id: by.request_id.clone(),
    };
    audit_log::append(&transaction, &entry).await?;
    transaction.commit().await?;
    Ok(())
}

async fn finish(means: Means<'_>, id: ImportId, report: &UndoReport) -> Result<(), ImportError> {
    let transaction = means.store.write().await?;
    let left = imports::items_of(&transaction, id).await?;
    let state = match left {
        0 => ImportState::Undone,
        _ => ImportState::PartlyUndone,
    };
    let report = serde_json::to_value(report).map_err(StoreError::from)?;
    imports::finish_undo(&transaction, id, state, report, means.clock.now_ms()).await?;
    transaction.commit().await?;
    Ok(())
}

struct Undo<'a> {
    means: Means<'a>,
    by: &'a By,
    id: ImportId,
    kept_users: HashSet<i64>,
    counts: Vec<UndoCount>,
    notes: Notes,
    returned_nanos: i64,
}

/// What became of a record.
enum Fate {
    /// It is gone, and so much of its money was booked back.
    Removed(i64),
    Kept(&'static str),
}

impl Undo<'_> {
    async fn run(&mut self, watch: &mut Watch) -> Result<(), ImportError> {
        self.find_kept_users().await?;
        for entity in ORDER {
            let items = imports::items(self.means.store.read(), self.id, entity).await?;
            let name = plural(entity);
            self.counts.push(UndoCount {
                entity: name.to_owned(),
                ..UndoCount::default()
            });
            for some in items.chunks(AT_ONCE) {
                self.some(some, name).await?;
                watch.advance(some.len()).await?;
            }
        }
        Ok(())
    }

    /// Users with a life here since the import: decided first, because their tokens stay too.
    async fn find_kept_users(&mut self) -> Result<(), ImportError> {
        let records = self.means.store.read();
        for item in imports::items(records, self.id, Entity::User).await? {
            if self.why_kept(records, &item).await?.is_some() {
                self.kept_users.insert(item.our_id);
            }
        }
        Ok(())
    }

    async fn why_kept(
        &self,
        records: &impl ConnectionTrait,
        item: &ImportItem,
    ) -> Result<Option<&'static str>, ImportError> {
        let id = UserId(item.our_id);
        let Some(user) = users::get(records, id).await? else {
            // Deleted here meanwhile: only what is left of it goes.
            return Ok(None);
        };
        if self.by.user == Some(id) {
            return Ok(Some("it is the account that asked for this"));
        }
        let is_root = user.role == Role::Root && user.status == Status::Enabled;
        if is_root && users::other_roots(records, id).await? == 0 {
            return Ok(Some("it is the last root user"));
        }
        let since = imports::since(records, id, self.id).await?;
        Ok(match since {
            since if since.has_calls => Some("it made calls here since: delete it by hand"),
            since if since.has_money => Some("money moved here since: delete it by hand"),
            since if since.has_tokens => Some("it has tokens that were made here since"),
            since if since.has_invited => Some("it invited others here since"),
            _ => None,
        })
    }

    /// Some records in one transaction or, where one of them cannot go, one by one.
    async fn some(&mut self, items: &[ImportItem], name: &str) -> Result<(), ImportError> {
        match self.together(items, name).await {
            Err(ImportError::Store(StoreError::Reference(_))) => {}
            outcome => return outcome,
        }
        for item in items {
            match self.together(std::slice::from_ref(item), name).await {
                Err(ImportError::Store(StoreError::Reference(_))) => {
                    let fate = Fate::Kept("something else here refers to it");
                    self.note(item, name, fate);
                }
                outcome => outcome?,
            }
        }
        Ok(())
    }

    async fn together(&mut self, items: &[ImportItem], name: &str) -> Result<(), ImportError> {
        let transaction = self.means.store.write().await?;
        let mut fates = Vec::with_capacity(items.len());
        for item in items {
            let fate = self.remove(&transaction, item).await?;
            if matches!(fate, Fate::Removed(_)) {
                imports::delete_item(&transaction, item.id).await?;
            }
            fates.push(fate);
        }
        imports::touch(&transaction, self.id, self.means.clock.now_ms()).await?;
        transaction.commit().await?;
        for (item, fate) in items.iter().zip(fates) {
            self.note(item, name, fate);
        }
        Ok(())
    }

    fn note(&mut self, item: &ImportItem, name: &str, fate: Fate) {
        let count = self.counts.iter_mut().find(|count| count.entity == name);
        match (fate, count) {
            (Fate::Removed(nanos), Some(count)) => {
                self.returned_nanos += nanos;
                count.removed += 1;
            }
            (Fate::Kept(reason), Some(count)) => {
                count.kept += 1;
                let item = format!("{} (here {})", item.foreign_id, item.our_id);
                self.notes.add(name, Effect::Attention, item, reason);
            }
            (_, None) => {}
        }
    }

    async fn remove(
        &self,
        transaction: &Transaction,
        item: &ImportItem,
    ) -> Result<Fate, ImportError> {
        let id = item.our_id;
        match item.entity {
            Entity::Code => {
                let id = RedemptionCodeId(id);
                let is_gone = redemption_codes::delete(transaction, id).await?
                    || redemption_codes::get(transaction, id).await?.is_none();
                if !is_gone {
                    return Ok(Fate::Kept("somebody redeemed it here"));
                }
            }
            Entity::Price => {
                prices::delete(transaction, PriceId(id)).await?;
            }
            Entity::Token => {
                let token = tokens::get(transaction, TokenId(id)).await?;
                if token.is_some_and(|token| self.kept_users.contains(&token.user_id.0)) {
                    return Ok(Fate::Kept("its user is kept"));
                }
                tokens::delete(transaction, TokenId(id)).await?;
            }
            Entity::Channel => {
                channels::delete(transaction, ChannelId(id)).await?;
            }
            Entity::User => return self.remove_user(transaction, item).await,
            Entity::Group => return remove_group(transaction, item).await,
        }
        Ok(Fate::Removed(0))
    }

    async fn remove_user(
        &self,
        transaction: &Transaction,
        item: &ImportItem,
    ) -> Result<Fate, ImportError> {
        if let Some(reason) = self.why_kept(transaction, item).await? {
            return Ok(Fate::Kept(reason));
        }
        let id = UserId(item.our_id);
        if users::get(transaction, id).await?.is_none() {
            // Somebody deleted it here, with whatever it had left.
            return Ok(Fate::Removed(0));
        }
        let now = self.means.clock.now_ms();
        let (import, foreign) = (self.id, &item.foreign_id);
        let reason = Some(format!("import {import} was undone"));
        if item.wallet_nanos > 0 {
            let credit = Credit {
                key: format!("import:{import}:undo:{foreign}:wallet"),
                user: id,
                counterpart: Account::Adjustments,
                amount_nanos: item.wallet_nanos,
                reference_kind: "import",
                reference_id: import.to_string(),
                reason: reason.clone(),
                at: now,
            };
            take_back(transaction, &credit).await?;
        }
        if item.referral_nanos > 0 {
            let movement = Movement {
                key: format!("import:{import}:undo:{foreign}:referral"),
                from: Account::Referral(id),
                to: Account::Adjustments,
                amount_nanos: item.referral_nanos,
                reference_kind: "import",
                reference_id: import.to_string(),
                reason,
                at: now,
            };
            ledger::post(transaction, &[movement]).await?;
        }
        imports::remove_user(transaction, id, DEFAULT_GROUP, now).await?;
        Ok(Fate::Removed(item.wallet_nanos + item.referral_nanos))
    }
}

async fn remove_group(transaction: &Transaction, item: &ImportItem) -> Result<Fate, ImportError> {
    let name = &item.foreign_id;
    let members = groups::members(transaction).await?;
    let is_named = channels::all(transaction)
        .await?
        .iter()
        .any(|channel| channel.groups.0.contains(name));
    if is_named || members.contains_key(name) {
        return Ok(Fate::Kept("users, tokens or channels here are in it"));
    }
    groups::leave_behind(transaction, name, DEFAULT_GROUP).await?;
    groups::delete(transaction, GroupId(item.our_id)).await?;
    Ok(Fate::Removed(0))
}

fn plural(entity: Entity) -> &'static str {
    match entity {
        Entity::Group => "groups",
        Entity::User => "users",
        Entity::Token => "tokens",
        Entity::Channel => "channels",
        Entity::Code => "codes",
        Entity::Price => "prices",
    }
}
