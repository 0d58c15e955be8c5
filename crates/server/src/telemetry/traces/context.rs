//! Which trace a call belongs to, in the header form of W3C's Trace Context.

use http::{HeaderMap, HeaderName, HeaderValue};

use crate::randomness::Randomness;

/// The header that carries a trace from service to service.
const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");

/// The place of a call in its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace.
    pub trace_id: [u8; 16],
    /// The call's own span.
    pub span_id: [u8; 8],
    /// The client's span, where it sent one.
    pub parent_id: Option<[u8; 8]>,
}

/// What a client said of its trace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Parent {
    pub(super) trace_id: [u8; 16],
    pub(super) span_id: [u8; 8],
    pub(super) is_sampled: bool,
}

impl TraceContext {
    /// A call's place, below what the client said or in a trace of its own.
    pub(super) fn new(parent: Option<Parent>, randomness: &dyn Randomness) -> Self {
        let mut context = Self {
            trace_id: [0; 16],
            span_id: [0; 8],
            parent_id: parent.map(|parent| parent.span_id),
        };
        randomness.fill(&mut context.span_id);
        match parent {
            Some(parent) => context.trace_id = parent.trace_id,
            None => randomness.fill(&mut context.trace_id),
        }
        context
    }

    /// The span of an attempt, counted from 0: known before the attempt is over, and not stored.
    pub fn attempt_id(&self, number: usize) -> [u8; 8] {
        let own = u64::from_be_bytes(self.span_id);
        // An odd multiple of a large constant away from the call's own: never the same as it, and
        // never the same for two attempts.
        let step = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        own.wrapping_add(step).max(1).to_be_bytes()
    }

    /// The header for an upstream that is asked in this attempt.
    pub fn pass_on(&self, number: usize, headers: &mut HeaderMap) {
        let (trace, span) = (
            hex::encode(self.trace_id),
            hex::encode(self.attempt_id(number)),
        );
        if let Ok(value) = HeaderValue::try_from(format!("00-{trace}-{span}-01")) {
            headers.insert(TRACEPARENT, value);
        }
    }
}

impl Parent {
    /// Reads what a client said; none where it said nothing that can be used.
    pub(super) fn read(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get(TRACEPARENT)?.to_str().ok()?;
        let mut parts = text.trim().split('-');
        let version = parts.next()?;
        let (trace, span, flags) = (parts.next()?, parts.next()?, parts.next()?);
        // Later versions may say more at the end; version ff is forbidden.
        let is_known = version == "00" && parts.next().is_none();
        let is_later = version != "00" && version != "ff" && from_hex::<1>(version).is_some();
        if !is_known && !is_later {
            return None;
        }
        let parent = Self {
            trace_id: from_hex(trace)?,
            span_id: from_hex(span)?,
            is_sampled: from_hex::<1>(flags)?[0] & 1 == 1,
        };
        let is_valid = parent.trace_id != [0; 16] && parent.span_id != [0; 8];
        is_valid.then_some(parent)
    }
}

fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    let is_lower = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    if !text.bytes().all(is_lower) {
        return None;
    }
    let mut bytes = [0; N];
    hex::decode_to_slice(text, &mut bytes).ok()?;
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::randomness::SeededRandomness;

    fn parent(text: &'static str) -> Option<Parent> {
        let mut headers = HeaderMap::new();
        headers.insert(TRACEPARENT, HeaderValue::from_static(text));
        Parent::read(&headers)
    }

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_clients_trace_goes_on() {
        let read = parent(GOOD).unwrap();
        assert!(read.is_sampled);
        let context = TraceContext::new(Some(read), &SeededRandomness::new(1));
        assert_eq!(
            hex::encode(context.trace_id),
            "4bf92f3577b34da6a3ce929d0e0e4736"
        );
        assert_eq!(
            context.parent_id.map(hex::encode).unwrap(),
            "00f067aa0ba902b7"
        );
        let mut headers = HeaderMap::new();
        context.pass_on(1, &mut headers);
        let passed = Parent::read(&headers).unwrap();
        assert_eq!(passed.trace_id, context.trace_id);
        assert_eq!(passed.span_id, context.attempt_id(1));
        assert_ne!(context.attempt_id(0), context.attempt_id(1));
        assert_ne!(context.attempt_id(0), context.span_id);
    }

    #[test]
    fn what_is_no_trace_is_not_taken_over() {
        for text in [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "00-4bf92f3577b34da6a3ce929d0e0e47-00f067aa0ba902b7-01",
        ] {
            assert_eq!(parent(text), None, "{text}");
        }
        assert!(
            !parent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00")
                .unwrap()
                .is_sampled
        );
        assert!(parent("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more").is_some());
    }
}
