//! The prices in effect, found without the database. Made anew when somebody changes one.

use std::future::Future;
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
        self.put(PriceBook::load(store.read())).await
    }

    /// Puts prices into effect. They are read once no others are under way.
    async fn put(
        &self,
        load: impl Future<Output = Result<PriceBook, billing::Error>>,
    ) -> Result<(), billing::Error> {
        let _alone = self.loading.lock().await;
        let book = load.await?;
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

#[cfg(test)]
mod tests {
    use std::cell::Cell;
    use std::pin::pin;

    use billing::pricing::Rate;
    use futures_util::{join, poll};
    use serde_json::json;
    use store::prices::Price;
    use store::{Document, PriceId};

    use super::*;

    /// A book with one price: so many dollars for a million input tokens.
    fn book(dollars: u64) -> PriceBook {
        let price = Price {
            id: PriceId(1),
            model: "m".to_owned(),
            effective_from: 0,
            sheet: Document(json!({"input": dollars.to_string()})),
            source: "administrator".to_owned(),
            created_by: None,
            created_at: 0,
        };
        PriceBook::of(vec![price]).unwrap()
    }

    fn input_of(book: &PriceBook) -> Option<Rate> {
        book.find("m", None, 1).unwrap().sheet.input
    }

    #[tokio::test]
    async fn a_load_that_takes_long_does_not_put_older_prices_over_newer_ones() {
        let prices = Prices {
            book: ArcSwap::from_pointee(book(1)),
            loading: Mutex::default(),
            is_stale: Notify::new(),
        };
        let current = Cell::new(2);
        let answered = Notify::new();
        // The records have read the older price, and their answer is slow.
        let mut slow = pin!(prices.put(async {
            let read = book(current.get());
            answered.notified().await;
            Ok(read)
        }));
        assert!(poll!(&mut slow).is_pending());
        current.set(3);
        let mut quick = pin!(prices.put(async { Ok(book(current.get())) }));
        let quick_end = poll!(&mut quick);
        answered.notify_one();
        match quick_end {
            std::task::Poll::Ready(end) => {
                end.unwrap();
                slow.await.unwrap();
            }
            std::task::Poll::Pending => {
                let (slow, quick) = join!(slow, quick);
                slow.and(quick).unwrap();
            }
        }
        assert_eq!(input_of(&prices.book()), input_of(&book(3)));
    }
}
