//! What all kinds of records are written with: the means, the import that is noted, and whoever
//! watches.

use std::collections::HashMap;

use store::imports::{self, Entity, ImportItem, NewItem};
use store::{ImportId, Store, Transaction, UserId};

use crate::clock::Clock;
use crate::imports::error::ImportError;
use crate::imports::report::Findings;
use crate::randomness::Randomness;
use crate::secrets::KeyRing;
use crate::tasks::RunningTask;

/// Records of one transaction.
pub(super) const AT_ONCE: usize = 100;

/// What an import is done with.
#[derive(Clone, Copy)]
pub struct Means<'a> {
    /// The records.
    pub store: &'a Store,
    /// The master keys.
    pub keys: &'a KeyRing,
    /// The time.
    pub clock: &'a dyn Clock,
    /// Randomness.
    pub randomness: &'a dyn Randomness,
}

/// Who asked for it, for the audit log.
#[derive(Clone, Debug, Default)]
pub struct By {
    /// Who; none from the command line.
    pub user: Option<UserId>,
    /// From where.
    pub ip: Option<String>,
    /// In which request.
    pub request_id: Option<String>,
}

/// Who watches.
pub enum Watch {
    /// Nobody.
    Nobody,
    /// Whoever looks at this task, and may cancel it.
    Task(Box<RunningTask>),
}

impl Watch {
    /// Notes records that were done; an error where somebody asked for the end.
    pub async fn advance(&mut self, records: usize) -> Result<(), ImportError> {
        match self {
            Self::Nobody => Ok(()),
            Self::Task(task) => {
                let steps = i64::try_from(records).unwrap_or(i64::MAX);
                let may_go_on = task.advance(steps).await?;
                may_go_on.then_some(()).ok_or(ImportError::Cancelled)
            }
        }
    }
}

/// An import at work.
pub(super) struct Work<'a> {
    pub(super) means: Means<'a>,
    pub(super) source: &'a str,
    /// None in a dry run.
    pub(super) import: Option<ImportId>,
    pub(super) by: &'a By,
    pub(super) findings: &'a mut Findings,
    pub(super) watch: &'a mut Watch,
    pub(super) now: i64,
}

impl Work<'_> {
    /// Begins to write some records; none in a dry run.
    pub(super) async fn begin(&self) -> Result<Option<(Transaction, ImportId)>, ImportError> {
        match self.import {
            None => Ok(None),
            Some(id) => Ok(Some((self.means.store.write().await?, id))),
        }
    }

    /// Ends what was begun, and says that some records are done.
    pub(super) async fn end(
        &mut self,
        begun: Option<(Transaction, ImportId)>,
        records: usize,
    ) -> Result<(), ImportError> {
        if let Some((transaction, id)) = begun {
            imports::touch(&transaction, id, self.means.clock.now_ms()).await?;
            transaction.commit().await?;
        }
        self.watch.advance(records).await
    }

    /// What this source gave before.
    pub(super) async fn known(
        &self,
        entity: Entity,
    ) -> Result<HashMap<String, ImportItem>, ImportError> {
        let records = self.means.store.read();
        Ok(imports::known(records, self.source, entity).await?)
    }

    /// Something that this source gave before.
    pub(super) fn is_known(&mut self, entity: &str, item: &str, is_there: bool) {
        let count = self.findings.count(entity);
        if is_there {
            count.known += 1;
            return;
        }
        let reason = "it was imported before and deleted here since";
        self.findings.leave_out(entity, item, reason);
    }

    /// Notes a record that was made.
    pub(super) async fn note(
        &self,
        transaction: &Transaction,
        import_id: ImportId,
        made: Made<'_>,
    ) -> Result<(), ImportError> {
        let item = NewItem {
            import_id,
            source: self.source,
            entity: made.entity,
            foreign_id: made.foreign_id,
            our_id: made.our_id,
            mark: made.mark,
            wallet_nanos: made.wallet_nanos,
            referral_nanos: made.referral_nanos,
        };
        Ok(imports::add_item(transaction, item).await?)
    }
}

/// A record that was made.
pub(super) struct Made<'a> {
    pub(super) entity: Entity,
    pub(super) foreign_id: &'a str,
    pub(super) our_id: i64,
    pub(super) mark: &'a str,
    pub(super) wallet_nanos: i64,
    pub(super) referral_nanos: i64,
}

impl<'a> Made<'a> {
    /// A record without money.
    pub(super) fn plain(entity: Entity, foreign_id: &'a str, our_id: i64, mark: &'a str) -> Self {
        Self {
            entity,
            foreign_id,
            our_id,
            mark,
            wallet_nanos: 0,
            referral_nanos: 0,
        }
    }
}
