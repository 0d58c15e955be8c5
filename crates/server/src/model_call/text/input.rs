//! The input of a text call, counted if the upstream does not tell it: it told nothing, or the client left before.
//! Most calls never need the count, so the body is kept and read only then.

use std::sync::{Arc, OnceLock};

use billing::tokens::{self, InputSample};
use bytes::Bytes;
use dialects::canonical::Request;
use dialects::convert::dialect;
use dialects::{CountInput, DialectId, PathHints};

/// A longer body of a converted call is sampled when it is converted, because its answer must tell the count
/// without a delay.
const LONG_BODY: usize = 256 * 1024;

/// The input of one call.
#[derive(Clone)]
pub struct Input {
    source: Source,
    tokens: OnceLock<u64>,
}

#[derive(Clone)]
enum Source {
    Body {
        dialect: DialectId,
        path: PathHints,
        body: Bytes,
    },
    Sample(Arc<InputSample>),
}

impl Input {
    /// Returns the input of a body that is read if its count is needed.
    pub fn of_body(dialect: DialectId, path: PathHints, body: Bytes) -> Self {
        Self::new(Source::Body {
            dialect,
            path,
            body,
        })
    }

    /// Returns the input of a call that is converted from this request.
    pub fn of_request(request: &Request, path: PathHints, body: &Bytes) -> Self {
        if body.len() <= LONG_BODY {
            return Self::of_body(request.source, path, body.clone());
        }
        Self::new(Source::Sample(Arc::new(InputSample::of(request))))
    }

    fn new(source: Source) -> Self {
        let tokens = OnceLock::new();
        Self { source, tokens }
    }

    /// Counts the input, once.
    pub fn tokens(&self) -> u64 {
        *self.tokens.get_or_init(|| self.source.count())
    }

    /// Whether counting takes longer than a network thread may be busy.
    pub fn must_leave_thread(&self) -> bool {
        let bytes = match &self.source {
            Source::Body { body, .. } => body.len(),
            Source::Sample(_) => LONG_BODY,
        };
        self.tokens.get().is_none() && tokens::must_leave_thread(bytes)
    }

    /// Returns the same for the answer's writer.
    pub fn counter(&self) -> CountInput {
        let input = self.clone();
        CountInput(Arc::new(move || input.tokens()))
    }
}

impl Source {
    fn count(&self) -> u64 {
        match self {
            Self::Sample(sample) => sample.count(),
            Self::Body {
                dialect: id,
                path,
                body,
            } => match dialect(*id).read_scanned(body, path) {
                Ok(request) => InputSample::of(&request).count(),
                // The upstream understood more of it than the gateway does.
                Err(_) => tokens::approximate(body.len() as u64),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_counts_by_its_rule_and_not_by_its_bytes() {
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":[{{"type":"text","text":"Hi"}},
            {{"type":"image_url","image_url":{{"url":"data:image/png;base64,{}"}}}}]}}]}}"#,
            "A".repeat(400_000)
        );
        let body = Bytes::from(body);
        let path = PathHints::default();
        let input = Input::of_body(DialectId::ChatCompletions, path.clone(), body.clone());
        assert!(input.must_leave_thread());
        assert!(
            (1_400..1_420).contains(&input.tokens()),
            "{}",
            input.tokens()
        );
        assert!(!input.must_leave_thread());
        let request = dialect(DialectId::ChatCompletions).read_scanned(&body, &path);
        let sampled = Input::of_request(&request.unwrap(), path, &body);
        assert_eq!(sampled.tokens(), input.tokens());
    }
}
