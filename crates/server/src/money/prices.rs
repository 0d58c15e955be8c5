//! The prices in effect, found without the database. Made anew when somebody changes one.

use std::sync::Arc;

use arc_swap::ArcSwap;
use billing::prices::{PriceBook, record_declared};
use store::Store;
use tokio::sync::{Mutex, Notify};

use super::declared;
use crate::config::PriceDeclaration;

/// The current price book.
#[derive(Debug)]
pub struct Prices {
    book: ArcSwap<PriceBook>,
    /// One load at a time: a slow one must not put older prices over newer ones.
    loading: Mutex<()>,
    is_stale: Notify,
}

impl Prices {
    /// Writes down what the configuration declares, and reads all prices.
    pub async fn open(
        store: &Store,
        declared: &[PriceDeclaration],
        now: i64,
    ) -> Result<Self, billing::Error> {
        declare(store, declared, now).await?;
        let book = PriceBook::load(store.read()).await?;
        Ok(Self {
            book: ArcSwap::from_pointee(book),
            loading: Mutex::default(),
            is_stale: Notify::new(),
        })
    }

    /// Puts another set of declared prices into effect. True: something has changed, and other
    /// nodes should hear of it.
    pub async fn declare(
        &self,
        store: &Store,
        declared: &[PriceDeclaration],
        now: i64,
    ) -> Result<bool, billing::Error> {
        let changed = declare(store, declared, now).await?;
        self.reload(store).await?;
        Ok(changed > 0)
    }

    /// Reads all prices again.
    pub async fn reload(&self, store: &Store) -> Result<(), billing::Error> {
        let _alone = self.loading.lock().await;
        let book = PriceBook::load(store.read()).await?;
        self.book.store(Arc::new(book));
        Ok(())
    }

    /// Somebody has changed a price: the background reads them again.
    pub fn mark_stale(&self) {
        self.is_stale.notify_one();
    }

    /// Waits until somebody has changed a price.
    pub async fn stale(&self) {
        self.is_stale.notified().await;
    }

    /// The price book in effect.
    pub fn book(&self) -> arc_swap::Guard<Arc<PriceBook>> {
        self.book.load()
    }
}

async fn declare(
    store: &Store,
    declared: &[PriceDeclaration],
    now: i64,
) -> Result<usize, billing::Error> {
    let sheets = declared::sheets(declared);
    let transaction = store.write().await?;
    let changed = record_declared(&transaction, &sheets, now).await?;
    transaction.commit().await?;
    Ok(changed)
}
