//! A price that was set counts, and every node hears of it, also where the prices cannot be read here just then.

use std::time::Duration;

use serde_json::json;
use store::prices::{self, NewPrice};
use store::shared::{Change, Notice};
use tokio::runtime::Runtime;
use tokio::time::timeout;

use crate::support::Office;

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn other_nodes_hear_of_a_price_though_prices_cannot_be_read_here() {
    let office = Office::open();
    // One that no program of this version can read, as a newer one may write it.
    office.records(async |store| {
        let unreadable = NewPrice {
            model: "of-a-newer-version".to_owned(),
            effective_from: 0,
            sheet: json!({"input": {"not": "a price"}}),
            source: "administrator",
            created_by: None,
            now: 0,
        };
        let transaction = store.write().await.expect("a transaction");
        let written = prices::insert(&transaction, unreadable).await;
        written.expect("it is written");
        transaction.commit().await.expect("it is written");
    });
    let app = &office.app.app;
    let runtime = Runtime::new().expect("a runtime");
    let read = runtime.block_on(app.prices().reload(app.store()));
    assert!(read.is_err(), "the prices can be read");
    let mut others = app.shared().subscribe();

    let body = json!({"model": "m", "prices": {"input": "1", "output": "2"}});
    let reply = office.administrator.post("/api/price/", &body);
    assert_eq!(reply.status, 500, "{}", reply.body);
    let heard = runtime.block_on(async { timeout(PATIENCE, others.next()).await });
    let heard = heard.expect("others are told");
    assert_eq!(heard, Some(Notice::Changed(Change::Prices)));
    let rows = office.records(async |store| prices::history(store.read(), "m").await);
    assert_eq!(rows.expect("the records work").len(), 1, "it counts");
}
