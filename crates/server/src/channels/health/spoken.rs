//! Which dialects a channel's upstream has, as far as calls have shown it. Many servers that speak a vendor's chat format
//! lack the paths of its other formats; calls in those are converted for a while, before they are tried as they are again.

use std::sync::atomic::{AtomicI64, AtomicU8, Ordering};

use dialects::DialectId;
use providers::{Fault, UpstreamFailure};

/// How long calls are converted before the dialect is tried again.
const WITHOUT_DIALECT_MS: i64 = 600_000;
/// What is said of paths alone, where a status and a type could mean a model too.
const OF_A_PATH: [&str; 3] = ["not found", "file not found", "404 page not found"];

/// Some of the dialects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::channels) struct Dialects(u8);

impl Dialects {
    pub(in crate::channels) fn of(dialect: DialectId) -> Self {
        let position = DialectId::ALL.iter().position(|other| *other == dialect);
        Self(position.map_or(0, |position| 1 << position))
    }

    pub(in crate::channels) fn is_empty(self) -> bool {
        self.0 == 0
    }

    pub(in crate::channels) fn has(self, dialect: DialectId) -> bool {
        self.0 & Self::of(dialect).0 != 0
    }

    pub(in crate::channels) fn names(self) -> Vec<&'static str> {
        let all = DialectId::ALL.into_iter();
        all.filter(|one| self.has(*one))
            .map(DialectId::name)
            .collect()
    }

    pub(in crate::channels) fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// What calls have shown.
#[derive(Debug, Default)]
pub(in crate::channels) struct Spoken {
    /// Answered in at least once. What such a path does not find is something else than the path.
    had: AtomicU8,
    /// Not known to the upstream while it answered in another; the one thing that most calls read.
    lacking: AtomicU8,
    until_ms: AtomicI64,
}

impl Spoken {
    /// A call in this dialect was answered, after these were not known.
    pub(in crate::channels) fn answered(
        &self,
        dialect: DialectId,
        unknown: Dialects,
        now_ms: impl FnOnce() -> i64,
    ) {
        let bit = Dialects::of(dialect).0;
        if self.had.load(Ordering::Relaxed) & bit == 0 {
            self.had.fetch_or(bit, Ordering::Relaxed);
            self.lacking.fetch_and(!bit, Ordering::Relaxed);
        }
        if !unknown.is_empty() {
            let until_ms = now_ms().saturating_add(WITHOUT_DIALECT_MS);
            self.until_ms.store(until_ms, Ordering::Relaxed);
            let had = self.had.load(Ordering::Relaxed);
            self.lacking.fetch_or(unknown.0 & !had, Ordering::Release);
        }
    }

    /// Whether it is possible that the upstream does not have this dialect.
    pub(in crate::channels) fn may_lack(&self, dialect: DialectId) -> bool {
        self.had.load(Ordering::Relaxed) & Dialects::of(dialect).0 == 0
    }

    /// What calls are converted from.
    pub(in crate::channels) fn lacking(&self, now_ms: impl FnOnce() -> i64) -> Dialects {
        let lacking = self.lacking.load(Ordering::Acquire);
        if lacking == 0 || now_ms() >= self.until_ms.load(Ordering::Relaxed) {
            return Dialects::default();
        }
        Dialects(lacking)
    }

    /// Forgets everything.
    pub(super) fn start_afresh(&self) {
        self.had.store(0, Ordering::Relaxed);
        self.lacking.store(0, Ordering::Release);
    }
}

/// Whether the upstream says that it does not know the path, and not that it lacks the model or something that the request
/// names: such things it quotes.
pub(in crate::channels) fn is_about_path(failure: &UpstreamFailure) -> bool {
    let said = failure.detail.trim();
    match (failure.status, failure.kind) {
        (Some(405 | 501), _) => true,
        (Some(404), Fault::Misconfigured) => {
            said.starts_with('<') || !said.contains(['\'', '"', '`'])
        }
        (Some(404), Fault::ModelMissing) => {
            let said = said.trim_end_matches('.');
            OF_A_PATH
                .iter()
                .any(|words| said.eq_ignore_ascii_case(words))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use http::{HeaderMap, StatusCode};
    use jiff::Timestamp;

    const CHAT: DialectId = DialectId::ChatCompletions;
    const RESPONSES: DialectId = DialectId::Responses;

    #[test]
    fn a_dialect_is_lacking_once_another_was_answered_and_for_a_while() {
        let spoken = Spoken::default();
        assert!(spoken.may_lack(RESPONSES));
        spoken.answered(CHAT, Dialects::of(RESPONSES), || 1_000);
        assert!(spoken.lacking(|| 1_000).has(RESPONSES));
        assert!(!spoken.lacking(|| 1_000).has(CHAT));
        let over = 1_000 + WITHOUT_DIALECT_MS;
        assert!(spoken.lacking(|| over - 1).has(RESPONSES));
        assert!(spoken.lacking(|| over).is_empty());
    }

    #[test]
    fn what_was_answered_once_is_had_until_an_edit() {
        let spoken = Spoken::default();
        spoken.answered(CHAT, Dialects::of(RESPONSES), || 0);
        spoken.answered(RESPONSES, Dialects::default(), || 1);
        assert!(spoken.lacking(|| 1).is_empty());
        spoken.answered(CHAT, Dialects::of(RESPONSES), || 2);
        assert!(spoken.lacking(|| 2).is_empty() && !spoken.may_lack(RESPONSES));
        spoken.start_afresh();
        assert!(spoken.may_lack(RESPONSES));
    }

    #[test]
    fn paths_are_told_from_models_and_from_what_a_request_names() {
        let path = |status: u16, body: &str| {
            let status = StatusCode::from_u16(status).unwrap();
            let (headers, now) = (HeaderMap::new(), Timestamp::UNIX_EPOCH);
            is_about_path(&UpstreamFailure::from_reply(
                status,
                &headers,
                body.as_bytes(),
                now,
            ))
        };
        for (status, body) in [
            (404, ""),
            (404, "404 page not found"),
            (404, r#"{"detail":"Not Found"}"#),
            (
                404,
                "<html><body class=\"e\"><h1>404 Not Found</h1></body></html>",
            ),
            (404, r#"{"message":"no Route matched with those values"}"#),
            (
                404,
                r#"{"error":{"message":"Invalid URL (POST /v1/responses)","type":"invalid_request_error","param":null,"code":null}}"#,
            ),
            (
                404,
                r#"{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}"#,
            ),
            (405, "{}"),
            (501, "{}"),
        ] {
            assert!(path(status, body), "{status} {body}");
        }
        for (status, body) in [
            (
                404,
                r#"{"error":{"message":"The model `x` does not exist","code":"model_not_found"}}"#,
            ),
            (
                404,
                r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
            ),
            (
                404,
                r#"{"error":{"message":"Item with id 'rs_1' not found.","type":"invalid_request_error","param":"input","code":null}}"#,
            ),
            (
                404,
                r#"{"error":{"message":"Vector store with id ['vs_1'] not found.","type":"invalid_request_error"}}"#,
            ),
            (400, r#"{"error":{"message":"bad"}}"#),
            (500, "{}"),
        ] {
            assert!(!path(status, body), "{status} {body}");
        }
    }
}
