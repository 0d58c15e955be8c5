//! Where kept answers are looked for: first among those that are still being written, then in the
//! records. Answers that are made in the background can be stopped here.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use store::responses::{self, StoredResponse};
use store::{StoreError, UserId};
use tokio::task::AbortHandle;

use super::document::Kept;
use super::items;
use crate::app::App;
use crate::secrets::{open, seal};

const DAY_MS: i64 = 86_400_000;
/// So many answers may wait to be written; where the records are further behind, more are not kept.
const MOST_WAITING: usize = 4_096;

/// The answers of this node that are not at rest yet.
#[derive(Default)]
pub struct Shelf {
    waiting: Mutex<HashMap<String, Waiting>>,
    /// Whether more wait than are kept; said once each time.
    is_full: AtomicBool,
    running: Mutex<HashMap<String, AbortHandle>>,
}

/// An answer on its way to the records.
#[derive(Clone)]
struct Waiting {
    user: UserId,
    kept: Arc<Kept>,
    /// Its owner has deleted it since: whoever writes it takes it out again.
    is_deleted: Arc<AtomicBool>,
}

impl Shelf {
    /// Keeps an answer. It is found at once and written soon; what is written late is no reason to
    /// keep a client waiting.
    pub fn keep(&self, app: &Arc<App>, user: UserId, kept: Kept) {
        let waiting = Waiting {
            user,
            kept: Arc::new(kept),
            is_deleted: Arc::default(),
        };
        if !self.put(&waiting) {
            return;
        }
        let app = Arc::clone(app);
        let running = app.stop().running().clone();
        running.spawn(async move {
            if let Err(error) = app.shelf().write_down(&app, &waiting).await {
                let id = &waiting.kept.id;
                tracing::error!(%error, id, "an answer could not be kept");
            }
        });
    }

    /// Puts an answer among those that wait; false where there are too many.
    fn put(&self, one: &Waiting) -> bool {
        let mut waiting = self.waiting.lock();
        let is_full = waiting.len() >= MOST_WAITING;
        if is_full && !self.is_full.swap(true, Ordering::Relaxed) {
            tracing::error!("answers are not kept: too many wait for the records");
        }
        if !is_full {
            self.is_full.store(false, Ordering::Relaxed);
            waiting.insert(one.kept.id.clone(), one.clone());
        }
        !is_full
    }

    async fn write_down(&self, app: &App, one: &Waiting) -> Result<(), StoreError> {
        let written = write(app, one.user, &one.kept, None).await;
        self.waiting.lock().remove(&one.kept.id);
        if one.is_deleted.load(Ordering::Acquire) {
            erase(app, one.user, &one.kept.id).await?;
        }
        written
    }

    /// Writes down now what this node will make in the background.
    pub async fn promise(&self, app: &App, user: UserId, kept: &Kept) -> Result<(), StoreError> {
        write(app, user, kept, Some(app.node())).await
    }

    /// Moves an answer on, unless somebody has done so before: then false.
    pub async fn advance(&self, app: &App, from: &str, kept: &Kept) -> Result<bool, StoreError> {
        let transaction = app.store().write().await?;
        let (to, content) = (kept.status(), sealed(app, kept));
        let is_moved = responses::advance(&transaction, &kept.id, from, to, content).await?;
        if is_moved {
            responses::note_items(&transaction, &kept.id, &items::ids(kept)).await?;
        }
        transaction.commit().await?;
        Ok(is_moved)
    }

    /// A user's answer.
    pub async fn find(
        &self,
        app: &App,
        user: UserId,
        id: &str,
    ) -> Result<Option<Arc<Kept>>, StoreError> {
        if let Some(waiting) = self.waiting.lock().get(id) {
            return Ok((waiting.user == user).then(|| Arc::clone(&waiting.kept)));
        }
        // None of ours, and nothing that every database takes.
        if id.contains('\0') {
            return Ok(None);
        }
        let now = app.clock().now_ms();
        let row = responses::get(app.store().read(), user, id, now).await?;
        Ok(row.and_then(|row| opened(app, &row)).map(Arc::new))
    }

    /// Looks through a user's answers that are not written yet.
    pub(super) fn each_waiting(&self, user: UserId, mut look: impl FnMut(&Kept)) {
        let waiting = self.waiting.lock();
        for one in waiting.values().filter(|one| one.user == user) {
            look(&one.kept);
        }
    }

    /// Forgets a user's answer; false where there is none.
    pub async fn delete(&self, app: &App, user: UserId, id: &str) -> Result<bool, StoreError> {
        self.stop(id);
        let was_waiting = {
            let mut waiting = self.waiting.lock();
            let own = waiting.get(id).filter(|one| one.user == user).cloned();
            if let Some(own) = &own {
                own.is_deleted.store(true, Ordering::Release);
                waiting.remove(id);
            }
            own.is_some()
        };
        Ok(erase(app, user, id).await? || was_waiting)
    }

    /// Notes who makes an answer in the background.
    pub fn started(&self, id: &str, handle: AbortHandle) {
        self.running.lock().insert(id.to_owned(), handle);
    }

    /// An answer in the background is over.
    pub fn finished(&self, id: &str) {
        self.running.lock().remove(id);
    }

    /// Stops whoever makes an answer in the background, where that is this node.
    pub fn stop(&self, id: &str) {
        if let Some(handle) = self.running.lock().remove(id) {
            handle.abort();
        }
    }

    /// Whether this node makes an answer in the background now.
    pub fn is_making(&self, id: &str) -> bool {
        let running = self.running.lock();
        running.get(id).is_some_and(|handle| !handle.is_finished())
    }

    /// Shows that this node still makes what it promised, and stops making what nobody wants any more:
    /// it was cancelled or deleted on another node.
    pub async fn renew(&self, app: &App) -> Result<(), StoreError> {
        let making: Vec<String> = {
            let mut running = self.running.lock();
            running.retain(|_, handle| !handle.is_finished());
            running.keys().cloned().collect()
        };
        if making.is_empty() {
            return Ok(());
        }
        let transaction = app.store().write().await?;
        let wanted = responses::renew(&transaction, &making, app.clock().now_ms()).await?;
        transaction.commit().await?;
        for id in making.iter().filter(|id| !wanted.contains(*id)) {
            self.stop(id);
        }
        Ok(())
    }
}

/// Writes an answer down now; `maker` is the node that makes it in the background.
async fn write(
    app: &App,
    user: UserId,
    kept: &Kept,
    maker: Option<&str>,
) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    let days = i64::from(app.config().responses.retention_days);
    let row = StoredResponse {
        id: kept.id.clone(),
        user_id: user,
        previous_id: kept.previous_id.clone(),
        status: kept.status().to_owned(),
        content_encrypted: sealed(app, kept),
        created_at: now,
        expires_at: now.saturating_add(days.saturating_mul(DAY_MS)),
        node_id: maker.map(str::to_owned),
        alive_at: maker.map(|_| now),
    };
    let transaction = app.store().write().await?;
    responses::insert(&transaction, row).await?;
    responses::note_items(&transaction, &kept.id, &items::ids(kept)).await?;
    transaction.commit().await
}

async fn erase(app: &App, user: UserId, id: &str) -> Result<bool, StoreError> {
    let transaction = app.store().write().await?;
    let is_gone = responses::delete(&transaction, user, id).await?;
    transaction.commit().await?;
    Ok(is_gone)
}

fn record(id: &str) -> String {
    format!("response:{id}")
}

pub(super) fn sealed(app: &App, kept: &Kept) -> Vec<u8> {
    let plain = serde_json::to_vec(kept).expect("JSON values can be written");
    seal(app.keys(), app.randomness(), &record(&kept.id), &plain)
}

/// An answer that cannot be opened is as good as none.
pub(super) fn opened(app: &App, row: &StoredResponse) -> Option<Kept> {
    let plain = open(app.keys(), &record(&row.id), &row.content_encrypted);
    let plain = plain.inspect_err(|error| {
        tracing::error!(%error, id = row.id, "a kept answer cannot be opened");
    });
    serde_json::from_slice(&plain.ok()?).ok()
}

#[cfg(test)]
#[path = "shelf_tests.rs"]
mod tests;
