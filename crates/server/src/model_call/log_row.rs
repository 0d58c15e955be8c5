//! A call as the request log keeps it. What clients and vendors wrote is kept as far as the records take it.

use std::borrow::Cow;

use billing::pricing::{OtherUnits, Tokens, Usage};
use store::request_log::{Attempt, LoggedCall, OtherUsage};
use store::{Document, Text};

use super::error;
use super::settle::{Ending, Open};
use crate::telemetry::CLIENT_LEFT;

/// The status of a call whose client went away before it had one.
const STATUS_OF_LEFT: i64 = 499;
/// So many bytes of a model's name are kept; no channel has a longer one.
const LONGEST_MODEL: usize = 256;
/// So many bytes of a message are kept: some of them repeat what the client sent.
const LONGEST_MESSAGE: usize = 4 * 1024;

/// The row of a call that ended so.
pub fn of(open: &Open, ending: &Ending, mut attempts: Vec<Attempt>, now: i64) -> LoggedCall {
    for error in attempts.iter_mut().filter_map(|one| one.error.as_mut()) {
        error.truncate(error.floor_char_boundary(LONGEST_MESSAGE));
    }
    let used = match ending {
        Ending::Answered(used) | Ending::Left(used) => Some(used),
        Ending::Failed(_) => None,
    };
    let failure = match ending {
        Ending::Failed(failure) => Some(failure),
        Ending::Answered(_) | Ending::Left(_) => None,
    };
    let has_left = matches!(ending, Ending::Left(_));
    let status = match failure {
        _ if open.is_answering => 200,
        Some(failure) => i64::from(error::status(failure.kind).as_u16()),
        None if has_left => STATUS_OF_LEFT,
        None => 200,
    };
    let tokens = used.map_or(Tokens::default(), |used| used.usage.tokens);
    let cause = failure.map(|failure| error::cause(failure.kind));
    let place = open.place.as_ref();
    let upstream_model = place.map(|place| Text::from(place.upstream_model.clone()));
    LoggedCall {
        created_at: now,
        request_id: open.call.caller.request_id.clone().into(),
        user_id: open.holder.user_id,
        token_id: Some(open.holder.token_id),
        endpoint: Text::named(open.call.endpoint),
        model: match &upstream_model {
            Some(same) if **same == *open.model => same.clone(),
            _ => kept(&open.model, LONGEST_MODEL).into(),
        },
        upstream_model,
        channel_id: place.map(|place| place.channel.id),
        status,
        error_cause: cause.or(has_left.then_some(CLIENT_LEFT)).map(Text::named),
        error_message: failure.map(|failure| kept(&failure.message, LONGEST_MESSAGE).into()),
        is_stream: open.is_stream,
        source: Text::named(open.holder.source()),
        ip: Some(open.call.caller.address_text().into()),
        input_tokens: count(tokens.input.saturating_sub(tokens.cache_read)),
        output_tokens: count(tokens.output),
        cache_read_tokens: count(tokens.cache_read),
        cache_write_tokens: count(tokens.cache_write_5m.saturating_add(tokens.cache_write_1h)),
        reasoning_tokens: count(tokens.reasoning),
        other_usage: Document(used.map_or_else(Vec::new, |used| other(&used.usage))),
        is_estimated: used.is_some_and(|used| used.is_estimated),
        charge_nanos: 0,
        price_lines: Document(Vec::new()),
        first_byte_ms: open.first_byte.map(millis),
        total_ms: millis(open.elapsed()),
        attempts: Document(attempts),
        loss_nanos: None,
    }
}

/// The beginning of a text that somebody else wrote, without NUL, which PostgreSQL takes in no text. A row that the
/// records do not take would make them write every call beside it on its own, and the call would not be charged.
fn kept(text: &str, longest: usize) -> Cow<'_, str> {
    let text = &text[..text.floor_char_boundary(longest)];
    match memchr::memchr(0, text.as_bytes()) {
        Some(_) => Cow::Owned(text.replace('\0', "")),
        None => Cow::Borrowed(text),
    }
}

/// Everything that is no text token.
fn other(usage: &Usage) -> Vec<OtherUsage> {
    let mut found = Vec::new();
    // Most calls have none of them.
    let mut add = |kind: &str, units: u64| {
        if units > 0 {
            found.push(OtherUsage {
                kind: kind.to_owned(),
                units: count(units),
            });
        }
    };
    let OtherUnits {
        calls: _,
        images,
        seconds,
        characters,
        search_units,
        hosted_tools,
    } = &usage.other;
    add("audio_input_tokens", usage.tokens.audio_input);
    add("audio_output_tokens", usage.tokens.audio_output);
    add("image_input_tokens", usage.tokens.image_input);
    add("image_output_tokens", usage.tokens.image_output);
    add("images", images.iter().map(|images| images.count).sum());
    add("audio_seconds", *seconds);
    add("characters", *characters);
    add("search_units", *search_units);
    for (name, calls) in hosted_tools {
        add(name, *calls);
    }
    found
}

fn count(units: u64) -> i64 {
    i64::try_from(units).unwrap_or(i64::MAX)
}

/// Milliseconds of a duration.
pub fn millis(duration: std::time::Duration) -> i64 {
    i64::try_from(duration.as_millis()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_kept_as_far_as_the_records_take_it() {
        let name = "demo-chat";
        assert!(matches!(kept(name, LONGEST_MODEL), Cow::Borrowed(same) if same == name));
        assert_eq!(kept("a\0b\0", 256), "ab");
        assert_eq!(kept("\0", 256), "");
        let long = "m".repeat(64 * 1024 * 1024);
        assert_eq!(kept(&long, LONGEST_MODEL), long[..256]);
        // A character of three bytes that begins on the last one.
        assert_eq!(kept(&format!("{}€", "m".repeat(255)), 256), long[..255]);
    }
}
