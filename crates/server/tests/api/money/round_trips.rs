//! In the steady state a call waits for no round trip to the database: transactions grow with
//! time, not with calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::caller::{Caller, WHOLE};
use super::house::{House, number};
use crate::nodes::empty_database;
use crate::support::Program;

const CALLS: usize = 2_000;
const CLIENTS: usize = 16;
const TRANSACTIONS: &str = "SELECT xact_commit + xact_rollback FROM pg_stat_database \
                            WHERE datname = current_database()";

fn call_often(house: &House, program: &Program, calls: usize) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                let mut caller = Caller::new(program.address, &house.token);
                while next.fetch_add(1, Ordering::SeqCst) < calls {
                    assert_eq!(caller.call(WHOLE).expect("an answer").status, 200);
                }
            });
        }
    });
}

/// How many transactions the database has seen; it counts them a little later than it makes them.
fn transactions(house: &House) -> i64 {
    std::thread::sleep(Duration::from_secs(2));
    house.records(async |store| number(store, TRANSACTIONS).await)
}

#[test]
fn many_calls_share_few_transactions() {
    let url = empty_database("round_trips");
    let house = House::new(
        Some(&url),
        1,
        "100",
        "[billing]\ndurability = \"relaxed\"\n",
    );
    let mut program = house.serve(0);
    call_often(&house, &program, 50);
    let before = transactions(&house);
    call_often(&house, &program, CALLS);
    let made = transactions(&house) - before;
    // Two statements a call would be two transactions a call; group commits and what happens
    // every second are far fewer.
    let most = i64::try_from(CALLS / 4).unwrap();
    assert!(made < most, "{made} transactions for {CALLS} calls");
    program.signal("TERM");
    assert!(program.wait().success(), "{}", program.log());
    house.verify();
}
