//! Every filter of the log, against the same question asked in Rust.

use store::request_log::{LogFilter, LoggedCall, StatusClass};
use store::{ChannelId, TokenId, UserId};

use super::calls::{DAY_MS, START_MS, varied, write};
use super::pages::walk;
use crate::support::Place;

on_both_engines!(every_filter_shows_exactly_what_matches);

/// A filter and the same question in Rust.
struct Case {
    name: &'static str,
    filter: LogFilter,
    matches: fn(&LoggedCall) -> bool,
}

fn case(
    name: &'static str,
    set: impl FnOnce(&mut LogFilter),
    matches: fn(&LoggedCall) -> bool,
) -> Case {
    let mut filter = LogFilter::default();
    set(&mut filter);
    Case {
        name,
        filter,
        matches,
    }
}

const NEXT_DAY: i64 = START_MS + DAY_MS;

fn cases_with_an_index() -> Vec<Case> {
    vec![
        case("all", |_| {}, |_| true),
        case(
            "from",
            |f| f.from_ms = Some(NEXT_DAY),
            |c| c.created_at >= NEXT_DAY,
        ),
        case(
            "until",
            |f| f.until_ms = Some(NEXT_DAY),
            |c| c.created_at < NEXT_DAY,
        ),
        case(
            "user",
            |f| f.user_id = Some(UserId(2)),
            |c| c.user_id == UserId(2),
        ),
        case(
            "token",
            |f| f.token_id = Some(TokenId(13)),
            |c| c.token_id == Some(TokenId(13)),
        ),
        case(
            "channel",
            |f| f.channel_id = Some(ChannelId(24)),
            |c| c.channel_id == Some(ChannelId(24)),
        ),
        case(
            "model",
            |f| f.model = Some("model-4".to_owned()),
            |c| c.model == "model-4",
        ),
        case(
            "cause",
            |f| f.error_cause = Some("cause-4".to_owned()),
            |c| c.error_cause.as_deref() == Some("cause-4"),
        ),
        case(
            "id",
            |f| f.request_id = Some("request-000042".to_owned()),
            |c| c.request_id == "request-000042",
        ),
    ]
}

fn cases_without_an_index() -> Vec<Case> {
    vec![
        case(
            "endpoint",
            |f| f.endpoint = Some("/v1/responses".to_owned()),
            |c| c.endpoint == "/v1/responses",
        ),
        case(
            "success",
            |f| f.status_class = Some(StatusClass::Success),
            |c| c.status < 400,
        ),
        case(
            "failure",
            |f| f.status_class = Some(StatusClass::Failure),
            |c| c.status >= 400,
        ),
        case(
            "client error",
            |f| f.status_class = Some(StatusClass::ClientError),
            |c| (400..500).contains(&c.status),
        ),
        case(
            "server error",
            |f| f.status_class = Some(StatusClass::ServerError),
            |c| c.status >= 500,
        ),
        case(
            "charge",
            |f| f.min_charge_nanos = Some(25_000_000),
            |c| c.charge_nanos >= 25_000_000,
        ),
        case(
            "latency",
            |f| f.min_total_ms = Some(200_000),
            |c| c.total_ms >= 200_000,
        ),
        case(
            "source",
            |f| f.source = Some("playground".to_owned()),
            |c| c.source == "playground",
        ),
        case(
            "address",
            |f| f.ip = Some("192.0.2.7".to_owned()),
            |c| c.ip.as_deref() == Some("192.0.2.7"),
        ),
        case(
            "upstream model",
            |f| f.upstream_model = Some("vendor-2".to_owned()),
            |c| c.upstream_model.as_deref() == Some("vendor-2"),
        ),
        case("status", |f| f.status = Some(502), |c| c.status == 502),
        case("stream", |f| f.is_stream = Some(false), |c| !c.is_stream),
        case(
            "several",
            |f| {
                f.from_ms = Some(NEXT_DAY);
                f.user_id = Some(UserId(1));
                f.model = Some("model-0".to_owned());
                f.source = Some("api".to_owned());
            },
            |c| {
                c.created_at >= NEXT_DAY
                    && c.user_id == UserId(1)
                    && c.model == "model-0"
                    && c.source == "api"
            },
        ),
    ]
}

async fn every_filter_shows_exactly_what_matches(place: Place) {
    let store = place.open().await;
    // Over three days, so that PostgreSQL has to go through several partitions.
    let calls: Vec<LoggedCall> = (0..300)
        .map(|n| varied(n, START_MS + n * DAY_MS / 100))
        .collect();
    write(&store, &calls).await;
    let cases = cases_with_an_index()
        .into_iter()
        .chain(cases_without_an_index());
    for Case {
        name,
        filter,
        matches,
    } in cases
    {
        let expected: Vec<&str> = calls
            .iter()
            .rev()
            .filter(|call| matches(call))
            .map(|call| call.request_id.as_str())
            .collect();
        assert!(!expected.is_empty(), "{name} matches nothing");
        assert!(
            name == "all" || expected.len() < calls.len(),
            "{name} matches everything"
        );
        let walked = walk(&store, &filter, 9).await;
        let found: Vec<&str> = walked.iter().map(|call| call.request_id.as_str()).collect();
        assert_eq!(found, expected, "{name}");
    }
}
