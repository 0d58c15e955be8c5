//! PostgreSQL stays away longer than leases last: calls go on while they do, then get 503, and the
//! service recovers by itself.

use std::time::{Duration, Instant};

use super::caller::{Caller, WHOLE};
use super::house::House;
use super::kills::COST;
use super::own_postgres::OwnPostgres;
use crate::support::{Program, get, send};

fn stop(mut program: Program) {
    program.signal("TERM");
    assert!(program.wait().success(), "{}", program.log());
}

#[test]
fn calls_go_on_within_a_lease_then_get_503_and_all_is_charged_when_the_database_is_back() {
    let mut postgres = OwnPostgres::start();
    let house = House::new(Some(&postgres.url()), 1, "100", "[billing]\nlease_s = 6\n");
    let program = house.serve(0);
    let mut caller = Caller::new(program.address, &house.token);
    assert_eq!(caller.call(WHOLE).unwrap().status, 200);
    postgres.crash();
    let (started, mut served) = (Instant::now(), 1);
    while caller.call(WHOLE).expect("an answer").status == 200 {
        served += 1;
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "a lease must end"
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    assert!(served > 5, "{served} calls went on: {}", program.log());
    let headers = [("authorization", &*format!("Bearer {}", house.token))];
    let refused = send(
        program.address,
        "POST /v1/chat/completions",
        &headers,
        WHOLE,
    );
    assert_eq!(refused.status, 503, "{}", refused.body);
    assert_eq!(refused.json()["error"]["code"], "overloaded");
    assert_eq!(get(program.address, "/readyz").status, 503);
    assert_eq!(get(program.address, "/healthz").status, 200);

    postgres.come_back();
    let back = Instant::now();
    while caller.call(WHOLE).is_none_or(|answer| answer.status != 200) {
        assert!(
            back.elapsed() < Duration::from_secs(30),
            "{}",
            program.log()
        );
        std::thread::sleep(Duration::from_millis(50));
    }
    served += 1;
    stop(program);
    // What was leased before the outage comes back at the next start at the latest.
    stop(house.serve(0));
    house.verify();
    let has = house.balances();
    assert_eq!((has.held_nanos, has.owed_nanos), (0, 0));
    assert_eq!(has.wallet_nanos, 100_000_000_000 - served * COST);
}
