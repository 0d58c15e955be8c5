//! Roll-ups: sums equal the log exactly, whoever updates them and however often.

use std::collections::BTreeMap;

use store::request_log::LoggedCall;
use store::rollups::{
    BOUNDS_MS, BatchBounds, Dimension, Grain, Histogram, Measures, RankBy, RollupFilter, breakdown,
    channel_attempts, series, totals, update,
};
use store::tokens::{self, TokenChanges};
use store::{ChannelId, Store, UserId, users};

use super::calls::{DAY_MS, START_MS, varied, write, write_all};
use crate::routing;
use crate::support::{Place, a_user};

on_both_engines!(
    sums_equal_the_log_in_every_grain,
    updating_again_counts_nothing_twice,
    racing_updates_and_writes_count_every_call_once,
    what_a_node_wrote_is_counted_without_reading_it_back,
    what_another_counted_first_is_not_counted_twice,
    users_and_tokens_are_counted_with_the_sums,
    late_writes_are_counted_where_they_belong,
    an_update_keeps_to_its_bounds,
    series_are_cut_by_steps_and_keys,
    breakdowns_rank_by_what_was_asked,
    filters_narrow_the_sums,
    attempts_are_summed_per_channel,
);

/// What a dimension groups a call by.
type KeyOf = fn(&LoggedCall) -> String;

/// What a breakdown is ranked by.
type ValueOf = fn(&Measures) -> i64;

fn measure(histogram: &mut Histogram, time_ms: i64) {
    let bucket = BOUNDS_MS.iter().position(|&bound| time_ms <= bound);
    histogram.counts[bucket.unwrap_or(BOUNDS_MS.len())] += 1;
}

/// The same sums, made in Rust.
fn sum<'a>(calls: impl IntoIterator<Item = &'a LoggedCall>) -> Measures {
    let mut sums = Measures::default();
    for call in calls {
        sums.requests += 1;
        sums.errors += i64::from(call.status >= 400);
        sums.input_tokens += call.input_tokens;
        sums.output_tokens += call.output_tokens;
        sums.cache_read_tokens += call.cache_read_tokens;
        sums.cache_write_tokens += call.cache_write_tokens;
        sums.reasoning_tokens += call.reasoning_tokens;
        sums.charge_nanos += call.charge_nanos;
        measure(&mut sums.total, call.total_ms);
        if let Some(time_ms) = call.first_byte_ms {
            measure(&mut sums.first_byte, time_ms);
        }
    }
    sums
}

fn everything(grain: Grain) -> RollupFilter {
    RollupFilter::range(grain, 0, START_MS + 1_000 * DAY_MS)
}

/// Updates until nothing is left; says how many batches there were.
async fn update_all(store: &Store) -> u64 {
    let mut batches = 0;
    loop {
        let done = update(store.database(), BatchBounds::default(), START_MS)
            .await
            .unwrap();
        if done == 0 {
            return batches;
        }
        batches += done;
    }
}

async fn crowd(store: &Store) -> Vec<LoggedCall> {
    let calls: Vec<LoggedCall> = (0..500)
        .map(|n| varied(n, START_MS + n * 977_777))
        .collect();
    for calls in calls.chunks(40) {
        write(store, calls).await;
    }
    calls
}

async fn sums_equal_the_log_in_every_grain(place: Place) {
    let store = place.open().await;
    let calls = crowd(&store).await;
    assert_eq!(update_all(&store).await, 13);
    for grain in Grain::ALL {
        assert_eq!(
            totals(store.read(), &everything(grain)).await.unwrap(),
            sum(&calls)
        );
        let payer = calls[0].user_id;
        let of_payer = RollupFilter {
            user_id: Some(payer),
            ..everything(grain)
        };
        assert_eq!(
            totals(store.read(), &of_payer).await.unwrap(),
            sum(calls.iter().filter(|call| call.user_id == payer))
        );
        let mut expected: BTreeMap<i64, Vec<&LoggedCall>> = BTreeMap::new();
        for call in &calls {
            let bucket = call.created_at - call.created_at % grain.span_ms();
            expected.entry(bucket).or_default().push(call);
        }
        let rows = series(store.read(), &everything(grain), 0, None)
            .await
            .unwrap();
        assert_eq!(rows.len(), expected.len());
        for (row, (bucket, calls)) in rows.iter().zip(expected) {
            assert_eq!((row.bucket_start, row.measures), (bucket, sum(calls)));
        }
    }
}

async fn updating_again_counts_nothing_twice(place: Place) {
    let store = place.open().await;
    let calls = crowd(&store).await;
    update_all(&store).await;
    assert_eq!(update_all(&store).await, 0);
    // A replayed write brings a batch of its own, but no row.
    write(&store, &calls[..40]).await;
    update_all(&store).await;
    assert_eq!(
        totals(store.read(), &everything(Grain::Hour))
            .await
            .unwrap(),
        sum(&calls)
    );
    let attempts = channel_attempts(store.read(), Grain::Day, 0, i64::MAX, Some(ChannelId(8)));
    let attempts = attempts.await.unwrap();
    assert_eq!(attempts.iter().map(|row| row.attempts).sum::<i64>(), 500);
}

async fn racing_updates_and_writes_count_every_call_once(place: Place) {
    let store = place.open().await;
    let writers: Vec<_> = (0..4)
        .map(|writer| {
            let store = store.clone();
            tokio::spawn(async move {
                for round in 0..20 {
                    let first = writer * 1_000 + round * 5;
                    let calls: Vec<LoggedCall> = (first..first + 5)
                        .map(|n| varied(n, START_MS + n))
                        .collect();
                    write(&store, &calls).await;
                }
            })
        })
        .collect();
    let updaters: Vec<_> = (0..2)
        .map(|_| {
            let store = store.clone();
            tokio::spawn(async move {
                for _ in 0..20 {
                    update(store.database(), BatchBounds::default(), START_MS)
                        .await
                        .unwrap();
                }
            })
        })
        .collect();
    for task in writers.into_iter().chain(updaters) {
        task.await.unwrap();
    }
    update_all(&store).await;
    let calls: Vec<LoggedCall> = (0..4)
        .flat_map(|writer| (writer * 1_000..writer * 1_000 + 100).map(|n| varied(n, START_MS + n)))
        .collect();
    for grain in Grain::ALL {
        assert_eq!(
            totals(store.read(), &everything(grain)).await.unwrap(),
            sum(&calls)
        );
    }
}

/// Writes calls and keeps their sums in memory, as a node does.
async fn write_and_keep(store: &Store, calls: &[LoggedCall]) {
    let appended = write_all(store, calls).await;
    store.pending_sums().add(&appended, calls.iter());
}

async fn write_sums(store: &Store) {
    store.write_sums(START_MS).await.unwrap();
}

async fn what_a_node_wrote_is_counted_without_reading_it_back(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..100)
        .map(|n| varied(n, START_MS + n * 977_777))
        .collect();
    for calls in calls.chunks(40) {
        write_and_keep(&store, calls).await;
    }
    write_sums(&store).await;
    // A replayed write brings nothing new.
    write_and_keep(&store, &calls[..40]).await;
    write_sums(&store).await;
    assert_eq!(update_all(&store).await, 0, "nothing is left to count");
    for grain in Grain::ALL {
        assert_eq!(
            totals(store.read(), &everything(grain)).await.unwrap(),
            sum(&calls)
        );
    }
    let tries = channel_attempts(store.read(), Grain::Day, 0, i64::MAX, Some(ChannelId(8)));
    let tries = tries.await.unwrap();
    assert_eq!(tries.iter().map(|row| row.attempts).sum::<i64>(), 100);
    assert_eq!(tries.iter().map(|row| row.failures).sum::<i64>(), 100);
}

async fn what_another_counted_first_is_not_counted_twice(place: Place) {
    let store = place.open().await;
    let calls: Vec<LoggedCall> = (0..20).map(|n| varied(n, START_MS + n)).collect();
    write_and_keep(&store, &calls[..10]).await;
    update_all(&store).await;
    write_and_keep(&store, &calls[10..]).await;
    write_sums(&store).await;
    assert_eq!(update_all(&store).await, 1, "the second write was left");
    assert_eq!(
        totals(store.read(), &everything(Grain::Day)).await.unwrap(),
        sum(&calls)
    );
}

async fn users_and_tokens_are_counted_with_the_sums(place: Place) {
    let store = place.open().await;
    let user = a_user(&store, "ann").await;
    let token = routing::add(&store, user, b"a", TokenChanges::default()).await;
    let calls: Vec<LoggedCall> = (0..20)
        .map(|n| LoggedCall {
            user_id: user,
            token_id: (n % 2 == 0).then_some(token.id),
            ..varied(n, START_MS + n)
        })
        .collect();
    write_and_keep(&store, &calls[..10]).await;
    write_sums(&store).await;
    // A node that died has left its calls in the log.
    write(&store, &calls[10..]).await;
    update_all(&store).await;
    let of_token = |call: &&LoggedCall| call.token_id.is_some();
    let nanos = |calls: &mut dyn Iterator<Item = &LoggedCall>| -> i64 {
        calls.map(|call| call.charge_nanos).sum()
    };
    let user = users::get(store.read(), user).await.unwrap().unwrap();
    let spent = (nanos(&mut calls.iter()), 20);
    assert_eq!((user.used_nanos, user.request_count), spent);
    let token = tokens::get(store.read(), token.id).await.unwrap().unwrap();
    assert_eq!(token.used_nanos, nanos(&mut calls.iter().filter(of_token)));
    assert_eq!(token.last_used_at, Some(START_MS + 8), "to the minute");
}

async fn late_writes_are_counted_where_they_belong(place: Place) {
    let store = place.open().await;
    let calls = [varied(1, START_MS + DAY_MS), varied(2, START_MS)];
    write(&store, &calls[..1]).await;
    update_all(&store).await;
    write(&store, &calls[1..]).await;
    update_all(&store).await;
    let days = series(store.read(), &everything(Grain::Day), 0, None)
        .await
        .unwrap();
    let days: Vec<(i64, Measures)> = days.iter().map(|d| (d.bucket_start, d.measures)).collect();
    let expected = [
        (START_MS, sum(&calls[1..])),
        (START_MS + DAY_MS, sum(&calls[..1])),
    ];
    assert_eq!(days, expected);
}

async fn an_update_keeps_to_its_bounds(place: Place) {
    let store = place.open().await;
    for n in 0..6 {
        write(&store, &[varied(n, START_MS + n * 1_800_000)]).await;
    }
    let few = BatchBounds {
        batches: 2,
        ..BatchBounds::default()
    };
    assert_eq!(update(store.database(), few, START_MS).await.unwrap(), 2);
    // Of the four left, the first three begin within an hour of each other.
    assert_eq!(
        update(store.database(), BatchBounds::default(), START_MS)
            .await
            .unwrap(),
        3
    );
    assert_eq!(
        update(store.database(), BatchBounds::default(), START_MS)
            .await
            .unwrap(),
        1
    );
    // A batch that is longer than the stretch is taken all the same.
    write(
        &store,
        &[varied(7, START_MS), varied(8, START_MS + 2 * DAY_MS)],
    )
    .await;
    assert_eq!(
        update(store.database(), BatchBounds::default(), START_MS)
            .await
            .unwrap(),
        1
    );
    assert_eq!(
        totals(store.read(), &everything(Grain::Day))
            .await
            .unwrap()
            .requests,
        8
    );
}

async fn series_are_cut_by_steps_and_keys(place: Place) {
    let store = place.open().await;
    let calls = crowd(&store).await;
    update_all(&store).await;
    let step_ms = 6 * 3_600_000;
    let filter = everything(Grain::Hour);
    let rows = series(store.read(), &filter, step_ms, Some(Dimension::Endpoint))
        .await
        .unwrap();
    let mut expected: BTreeMap<(i64, &str), Vec<&LoggedCall>> = BTreeMap::new();
    for call in &calls {
        let step = call.created_at - call.created_at % step_ms;
        expected
            .entry((step, &call.endpoint))
            .or_default()
            .push(call);
    }
    assert_eq!(rows.len(), expected.len());
    for row in rows {
        let calls = &expected[&(row.bucket_start, row.key.as_str())];
        let without_times = Measures {
            total: Histogram::default(),
            first_byte: Histogram::default(),
            ..sum(calls.iter().copied())
        };
        assert_eq!(row.measures, without_times);
    }
}

async fn breakdowns_rank_by_what_was_asked(place: Place) {
    let store = place.open().await;
    let calls = crowd(&store).await;
    update_all(&store).await;
    let keys: [(Dimension, KeyOf); 5] = [
        (Dimension::User, |c| c.user_id.to_string()),
        (Dimension::Token, |c| {
            c.token_id.map_or(0, |id| id.0).to_string()
        }),
        (Dimension::Channel, |c| {
            c.channel_id.map_or(0, |id| id.0).to_string()
        }),
        (Dimension::Model, |c| c.model.to_string()),
        (Dimension::Endpoint, |c| c.endpoint.to_string()),
    ];
    let ranks: [(RankBy, ValueOf); 3] = [
        (RankBy::Charge, |m| m.charge_nanos),
        (RankBy::Requests, |m| m.requests),
        (RankBy::Errors, |m| m.errors),
    ];
    for (dimension, key) in keys {
        let mut groups: BTreeMap<String, Vec<&LoggedCall>> = BTreeMap::new();
        for call in &calls {
            groups.entry(key(call)).or_default().push(call);
        }
        for (rank_by, value) in ranks {
            let filter = everything(Grain::Day);
            let rows = breakdown(store.read(), &filter, dimension, rank_by, 3)
                .await
                .unwrap();
            assert_eq!(rows.len(), groups.len().min(3));
            let mut values: Vec<i64> = groups
                .values()
                .map(|calls| value(&sum(calls.iter().copied())))
                .collect();
            values.sort_unstable_by(|a, b| b.cmp(a));
            for (row, expected) in rows.iter().zip(values) {
                assert_eq!(value(&row.measures), expected, "{dimension:?} {rank_by:?}");
                assert_eq!(row.measures, sum(groups[&row.key].iter().copied()));
            }
        }
    }
}

async fn filters_narrow_the_sums(place: Place) {
    let store = place.open().await;
    let calls = crowd(&store).await;
    update_all(&store).await;
    let narrow = RollupFilter {
        user_id: Some(UserId(2)),
        channel_id: Some(ChannelId(22)),
        token_id: Some(store::TokenId(11)),
        model: Some("model-1".to_owned()),
        endpoint: Some("/v1/responses".to_owned()),
        ..RollupFilter::range(Grain::Day, START_MS + DAY_MS, START_MS + 6 * DAY_MS)
    };
    let matching: Vec<&LoggedCall> = calls
        .iter()
        .filter(|c| (START_MS + DAY_MS..START_MS + 6 * DAY_MS).contains(&c.created_at))
        .filter(|c| c.user_id == UserId(2) && c.channel_id == Some(ChannelId(22)))
        .filter(|c| c.token_id == Some(store::TokenId(11)) && c.model == "model-1")
        .collect();
    assert!(!matching.is_empty());
    assert_eq!(totals(store.read(), &narrow).await.unwrap(), sum(matching));
    let nothing = RollupFilter {
        user_id: Some(UserId(99)),
        ..narrow
    };
    assert_eq!(
        totals(store.read(), &nothing).await.unwrap(),
        Measures::default()
    );
}

async fn attempts_are_summed_per_channel(place: Place) {
    let store = place.open().await;
    write(&store, &[varied(1, START_MS), varied(2, START_MS + 1)]).await;
    write(&store, &[varied(3, START_MS + 3_600_000)]).await;
    update_all(&store).await;
    let rows = channel_attempts(store.read(), Grain::Hour, START_MS, START_MS + DAY_MS, None);
    let rows: Vec<(i64, i64, i64, i64)> = rows
        .await
        .unwrap()
        .iter()
        .map(|row| {
            (
                row.bucket_start - START_MS,
                row.channel_id.0,
                row.attempts,
                row.failures,
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            (0, 3, 2, 0),
            (0, 8, 2, 2),
            (3_600_000, 3, 1, 0),
            (3_600_000, 8, 1, 1)
        ]
    );
}
