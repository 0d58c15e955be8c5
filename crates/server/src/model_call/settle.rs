//! The end of a call: what it used becomes a charge, and the charge and its row in the request log
//! are one commit. A call that failed, or that gave nothing, costs nothing.

use billing::pricing::{Charge, OtherUnits, Tokens, Usage, charge};
use dialects::canonical::{self, Failure};
use store::Document;
use store::request_log::{self, Attempt, LoggedCall};
use store::{StoreError, reservations, tokens, users};

use super::admit::Admission;
use super::call::Call;
use super::error;
use crate::app::App;
use crate::channels::Place;
use crate::tokens::Holder;

/// What is known of a call at its end.
pub struct Ending<'a> {
    /// The call.
    pub call: &'a Call,
    /// Who pays.
    pub holder: &'a Holder,
    /// The model that the client asked for.
    pub model: &'a str,
    /// The channel that was tried.
    pub route: Option<&'a Place>,
    /// What the call was admitted with.
    pub admission: Option<&'a Admission>,
    /// Whether a stream was asked for.
    pub is_stream: bool,
    /// What was used, or why there is no answer.
    pub outcome: Result<&'a canonical::Usage, &'a Failure>,
    /// When the call began, in unix milliseconds.
    pub began: i64,
}

/// Charges the call and writes its row.
pub async fn settle(app: &App, ending: Ending<'_>) -> Result<(), StoreError> {
    let now = app.clock().now_ms();
    let charge = charge_of(&ending);
    let charged = charge.as_ref().map_or(0, |charge| charge.total_nanos);
    let logged = logged(&ending, charge.as_ref(), now);
    let attempts: Vec<Attempt> = ending
        .route
        .map(|r| attempt(&ending, r, now))
        .into_iter()
        .collect();
    let transaction = app.store().write().await?;
    if ending
        .admission
        .is_some_and(|admission| admission.held_nanos > 0)
    {
        let id = &ending.call.caller.request_id;
        reservations::settle(&transaction, id, charged, now).await?;
    }
    request_log::append(&transaction, &[logged], &attempts).await?;
    if charged > 0 {
        users::add_usage(&transaction, ending.holder.user_id, charged, 1).await?;
        tokens::add_usage(&transaction, ending.holder.token_id, charged, now).await?;
    }
    transaction.commit().await.map_err(StoreError::from)
}

fn charge_of(ending: &Ending<'_>) -> Option<Charge> {
    let (Some(admission), Ok(usage)) = (ending.admission, ending.outcome) else {
        return None;
    };
    if usage.output.unwrap_or(0) == 0 {
        return None;
    }
    let usage = Usage {
        tokens: tokens_of(usage),
        other: OtherUnits {
            calls: 1,
            ..OtherUnits::default()
        },
    };
    let charge = charge(&admission.sheet, admission.multiplier, &usage);
    charge
        .ok()
        .map(|charge| charge.at_most(admission.held_nanos))
}

fn tokens_of(usage: &canonical::Usage) -> Tokens {
    let of = |count: Option<u64>| count.unwrap_or(0);
    Tokens {
        input: of(usage.input),
        cache_read: of(usage.cache_read),
        cache_write_5m: of(usage.cache_write_5m) + of(usage.cache_write_other),
        cache_write_1h: of(usage.cache_write_1h),
        audio_input: of(usage.input_audio),
        image_input: of(usage.input_image),
        output: of(usage.output),
        reasoning: of(usage.reasoning),
        audio_output: of(usage.output_audio),
        image_output: of(usage.output_image),
    }
}

fn logged(ending: &Ending<'_>, charge: Option<&Charge>, now: i64) -> LoggedCall {
    let failure = ending.outcome.err();
    let usage = ending.outcome.ok().map(tokens_of).unwrap_or_default();
    let count = |tokens: u64| i64::try_from(tokens).unwrap_or(i64::MAX);
    let total = now.saturating_sub(ending.began);
    LoggedCall {
        created_at: now,
        request_id: ending.call.caller.request_id.clone(),
        user_id: ending.holder.user_id,
        token_id: Some(ending.holder.token_id),
        endpoint: ending.call.endpoint.to_owned(),
        model: ending.model.to_owned(),
        upstream_model: ending.route.map(|route| route.upstream_model.to_string()),
        channel_id: ending.route.map(|route| route.channel.id),
        status: failure.map_or(200, |f| i64::from(error::status(f.kind).as_u16())),
        error_cause: failure.map(|f| error::cause(f.kind).to_owned()),
        error_message: failure.map(|f| f.message.clone()),
        is_stream: ending.is_stream,
        source: "api".to_owned(),
        ip: Some(ending.call.caller.address.to_string()),
        input_tokens: count(usage.input.saturating_sub(usage.cache_read)),
        output_tokens: count(usage.output),
        cache_read_tokens: count(usage.cache_read),
        cache_write_tokens: count(usage.cache_write_5m + usage.cache_write_1h),
        reasoning_tokens: count(usage.reasoning),
        other_usage: Document(Vec::new()),
        is_estimated: false,
        charge_nanos: charge.map_or(0, |charge| charge.total_nanos),
        price_lines: Document(charge.map(Charge::logged_lines).unwrap_or_default()),
        first_byte_ms: failure.is_none().then_some(total),
        total_ms: total,
        attempt_count: i64::from(ending.route.is_some()),
    }
}

fn attempt(ending: &Ending<'_>, route: &Place, now: i64) -> Attempt {
    let total = now.saturating_sub(ending.began);
    let failure = ending.outcome.err();
    Attempt {
        created_at: now,
        request_id: ending.call.caller.request_id.clone(),
        position: 0,
        channel_id: route.channel.id,
        key_index: None,
        status: failure.is_none().then_some(200),
        error: failure.map(|failure| failure.message.clone()),
        started_after_ms: 0,
        connect_ms: None,
        first_byte_ms: failure.is_none().then_some(total),
        total_ms: total,
    }
}
