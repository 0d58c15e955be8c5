//! Ten thousand calls race for a wallet that affords a thousand, on one server and on three.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use store::ledger::balances;

use super::caller::{Caller, WHOLE};
use super::house::House;
use crate::nodes::empty_database;
use crate::support::Program;

const CALLS: usize = 10_000;
const AFFORDED: usize = 1_000;
/// A call costs exactly what it reserves, so that exactly so many fit.
const PRICE: i64 = 1_700;
const CONFIG: &str = "[[prices]]\nmodel = \"demo-chat\"\nper_call = \"0.0000017\"\n";
/// A thousand times the price, and not quite another one.
const DOLLARS: &str = "0.0017016";

fn race(house: &House, servers: Vec<Program>) {
    let (next, served) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let is_over = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| watch(house, &is_over));
        let clients: Vec<_> = (0..24)
            .map(|client| {
                let address = servers[client % servers.len()].address;
                let (next, served) = (&next, &served);
                scope.spawn(move || {
                    let mut caller = Caller::new(address, &house.token);
                    while next.fetch_add(1, Ordering::SeqCst) < CALLS {
                        let answer = caller.call(WHOLE).expect("an answer");
                        match answer.status {
                            200 => served.fetch_add(1, Ordering::SeqCst),
                            402 => 0,
                            other => panic!("status {other}"),
                        };
                    }
                })
            })
            .collect();
        for client in clients {
            client.join().unwrap();
        }
        is_over.store(true, Ordering::SeqCst);
    });
    for mut server in servers {
        server.signal("TERM");
        assert!(server.wait().success(), "{}", server.log());
    }
    assert_eq!(served.into_inner(), AFFORDED);
    let has = house.balances();
    assert_eq!(
        (has.wallet_nanos, has.held_nanos, has.owed_nanos),
        (PRICE - 100, 0, 0)
    );
    house.verify();
}

/// At every moment nothing is below zero and nothing is owed.
fn watch(house: &House, is_over: &AtomicBool) {
    let user = house.user;
    house.records(async |store| {
        while !is_over.load(Ordering::SeqCst) {
            let now = balances(store.read(), &[user]).await.unwrap()[&user];
            assert!(now.wallet_nanos >= 0 && now.held_nanos >= 0 && now.owed_nanos == 0);
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    });
}

#[test]
fn one_server_serves_exactly_what_fits() {
    let house = House::new(None, 1, DOLLARS, CONFIG);
    race(&house, vec![house.serve(0)]);
}

#[test]
fn three_servers_serve_exactly_what_fits() {
    let house = House::new(Some(&empty_database("races")), 3, DOLLARS, CONFIG);
    let servers = (0..3).map(|folder| house.serve(folder)).collect();
    race(&house, servers);
}
