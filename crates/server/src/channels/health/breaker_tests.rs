//! The life of a circuit breaker.

use super::breaker::{Breaker, FAST_PROBE_MS, Patience, Standing};

const PATIENCE: Patience = Patience {
    first_ms: 5_000,
    most_ms: 60_000,
    max_ms_after_fast_probe: 30_000,
};

fn fail(breaker: &Breaker, times: usize, now_ms: i64) {
    for _ in 0..times {
        breaker.failed(false, "it broke", PATIENCE, now_ms);
    }
}

#[test]
fn it_opens_after_failures_in_a_row_and_closes_after_a_probe() {
    let breaker = Breaker::default();
    fail(&breaker, 4, 1_000);
    assert_eq!(breaker.standing(1_000), Standing::Closed);
    assert!(!breaker.is_steady(), "it has failed of late");
    fail(&breaker, 1, 1_000);
    assert_eq!(breaker.standing(1_000), Standing::Open { until_ms: 6_000 });
    assert_eq!(breaker.reason().as_deref(), Some("it broke"));
    assert!(breaker.enter(5_999).is_err());

    assert_eq!(breaker.standing(6_000), Standing::HalfOpen);
    assert_eq!(breaker.enter(6_000), Ok(true), "the probe");
    assert_eq!(
        breaker.enter(6_000),
        Err(Standing::Probing),
        "one probe at a time"
    );
    breaker.succeeded(true, 6_100);
    assert_eq!(breaker.standing(6_100), Standing::Closed);
    assert_eq!(breaker.reason(), None);
    assert_eq!(breaker.enter(6_100), Ok(false));
}

#[test]
fn a_success_between_ends_the_row() {
    let breaker = Breaker::default();
    for _ in 0..4 {
        fail(&breaker, 4, 1_000);
        for _ in 0..20 {
            breaker.succeeded(false, 1_000);
        }
    }
    assert_eq!(breaker.standing(1_000), Standing::Closed);
    assert!(breaker.is_steady());
}

#[test]
fn among_many_calls_it_takes_a_longer_row() {
    let breaker = Breaker::default();
    for _ in 0..1_000 {
        breaker.succeeded(false, 1_000);
    }
    fail(&breaker, 9, 1_000);
    assert_eq!(breaker.standing(1_000), Standing::Closed);
    fail(&breaker, 1, 1_000);
    assert_eq!(breaker.standing(1_000), Standing::Open { until_ms: 6_000 });
}

#[test]
fn it_opens_when_half_of_all_calls_fail() {
    let breaker = Breaker::default();
    for _ in 0..9 {
        fail(&breaker, 1, 1_000);
        breaker.succeeded(false, 1_000);
    }
    assert_eq!(breaker.standing(1_000), Standing::Closed);
    fail(&breaker, 1, 1_000);
    assert_eq!(breaker.standing(1_000), Standing::Open { until_ms: 6_000 });
}

#[test]
fn failures_of_long_ago_do_not_count() {
    let breaker = Breaker::default();
    for minute in 0..100 {
        fail(&breaker, 1, minute * 60_000);
        breaker.succeeded(false, minute * 60_000);
    }
    assert_eq!(breaker.standing(6_000_000), Standing::Closed);
}

#[test]
fn a_failed_probe_opens_it_for_longer_but_never_for_ever() {
    let breaker = Breaker::default();
    fail(&breaker, 5, 0);
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..6 {
        let Standing::Open { until_ms } = breaker.standing(now) else {
            panic!("it is open")
        };
        waits.push(until_ms - now);
        now = until_ms;
        assert_eq!(breaker.enter(now), Ok(true));
        now += FAST_PROBE_MS;
        breaker.failed(true, "still broken", PATIENCE, now);
    }
    assert_eq!(waits, [5_000, 10_000, 20_000, 40_000, 60_000, 60_000]);
}

#[test]
fn probes_that_fail_fast_do_not_extend_the_pause_beyond_its_own_maximum() {
    let breaker = Breaker::default();
    fail(&breaker, 5, 0);
    let mut now = 0;
    let mut waits = Vec::new();
    for _ in 0..5 {
        let Standing::Open { until_ms } = breaker.standing(now) else {
            panic!("it is open")
        };
        waits.push(until_ms - now);
        now = until_ms;
        assert_eq!(breaker.enter(now), Ok(true));
        now += FAST_PROBE_MS - 1;
        breaker.failed(true, "still broken", PATIENCE, now);
    }
    assert_eq!(waits, [5_000, 10_000, 20_000, 30_000, 30_000]);
}

#[test]
fn a_probe_that_tells_nothing_makes_way_for_the_next() {
    let breaker = Breaker::default();
    fail(&breaker, 5, 0);
    assert_eq!(breaker.enter(5_000), Ok(true));
    breaker.probe_left(5_100);
    assert_eq!(breaker.standing(5_100), Standing::HalfOpen);
    assert_eq!(breaker.enter(5_100), Ok(true));
}

#[test]
fn late_answers_of_calls_from_before_change_nothing() {
    let breaker = Breaker::default();
    fail(&breaker, 5, 0);
    breaker.succeeded(false, 1);
    assert_eq!(breaker.standing(1), Standing::Open { until_ms: 5_000 });
    fail(&breaker, 20, 2);
    breaker.trip("refused", PATIENCE, 3);
    assert_eq!(breaker.standing(3), Standing::Open { until_ms: 5_000 });
}

#[test]
fn an_edit_closes_it() {
    let breaker = Breaker::default();
    breaker.trip("refused", PATIENCE, 0);
    breaker.start_afresh();
    assert_eq!(breaker.standing(0), Standing::Closed);
    fail(&breaker, 4, 0);
    assert_eq!(breaker.standing(0), Standing::Closed);
}
