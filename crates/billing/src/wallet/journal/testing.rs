//! Rows for tests of what keeps them.

use store::request_log::{LoggedCall, PriceLine};
use store::{Document, LeaseId, UserId};

use crate::wallet::row::Row;

/// A row that is told from others by its number; rows of numbers with as many digits are equally long.
pub fn a_row(number: i64) -> Row {
    let line = PriceLine {
        kind: "input".into(),
        units: number,
        price_usd: "0.000001".to_owned(),
        amount_usd: "0.5".to_owned(),
    };
    Row {
        lease: Some(LeaseId(number)),
        call: LoggedCall {
            created_at: number,
            request_id: format!("r{number}").into(),
            user_id: UserId(7),
            token_id: None,
            endpoint: "/v1/messages".into(),
            model: "m".into(),
            upstream_model: Some("ü".into()),
            channel_id: None,
            status: 200,
            error_cause: None,
            error_message: None,
            is_stream: true,
            source: "api".into(),
            ip: None,
            input_tokens: i64::MAX,
            output_tokens: 0,
            cache_read_tokens: 0,
            cache_write_tokens: 0,
            reasoning_tokens: 0,
            other_usage: Document(vec![]),
            is_estimated: false,
            charge_nanos: number,
            price_lines: Document(vec![line]),
            first_byte_ms: None,
            total_ms: 1,
            attempts: Document(vec![]),
            loss_nanos: None,
        },
    }
}
