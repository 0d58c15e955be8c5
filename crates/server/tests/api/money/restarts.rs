//! PostgreSQL is restarted under load, and a server is killed while it is away.

use std::collections::BTreeSet;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::house::{House, Random, load};
use super::kills::COST;
use super::own_postgres::OwnPostgres;
use crate::support::Program;

const RESTARTS: usize = 4;

fn stop(mut program: Program) {
    program.signal("TERM");
    assert!(program.wait().success(), "{}", program.log());
}

#[test]
fn a_database_restarted_under_load_loses_no_charge() {
    let mut random = Random::new("restarts");
    let mut postgres = OwnPostgres::start();
    let house = House::new(Some(&postgres.url()), 2, "100", "");
    let servers = [house.serve(0), house.serve(1)];
    let (is_over, whole) = (AtomicBool::new(false), Mutex::new(BTreeSet::new()));
    let mut during = 0;
    std::thread::scope(|scope| {
        for server in &servers {
            scope.spawn(|| load(&house, server, 4, &is_over, &whole));
        }
        for _ in 0..RESTARTS {
            std::thread::sleep(Duration::from_millis(200 + random.below(300)));
            postgres.crash();
            let before = whole.lock().unwrap().len();
            std::thread::sleep(Duration::from_millis(2_500 + random.below(500)));
            during += whole.lock().unwrap().len() - before;
            postgres.come_back();
        }
        std::thread::sleep(Duration::from_secs(1));
        is_over.store(true, Ordering::SeqCst);
    });
    assert!(during > RESTARTS, "{during} calls went on meanwhile");
    for server in servers {
        stop(server);
    }
    house.check(&whole.into_inner().unwrap(), COST);
}

#[test]
fn a_server_killed_while_the_database_is_away_charges_at_its_next_start() {
    let mut postgres = OwnPostgres::start();
    let house = House::new(Some(&postgres.url()), 1, "100", "");
    let one = house.serve(0);
    let (is_over, whole) = (AtomicBool::new(false), Mutex::new(BTreeSet::new()));
    std::thread::scope(|scope| {
        scope.spawn(|| load(&house, &one, 4, &is_over, &whole));
        // Before the first call nothing is held.
        while whole.lock().unwrap().is_empty() {
            std::thread::sleep(Duration::from_millis(20));
        }
        postgres.crash();
        std::thread::sleep(Duration::from_secs(3));
        one.signal("KILL");
        is_over.store(true, Ordering::SeqCst);
    });
    postgres.come_back();
    assert!(house.balances().held_nanos > 0);
    stop(house.serve(0));
    house.check(&whole.into_inner().unwrap(), COST);
}
