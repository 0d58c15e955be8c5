//! Keeps an answer while it goes to the client: the whole body, or the last event of a stream, which
//! repeats all of it.

use std::sync::Arc;

use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::sse::SseReader;
use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};
use store::UserId;

use crate::app::App;
use crate::kept_responses::Kept;
use crate::model_call::joined::Joined;
use crate::model_call::task::{Answer, Arrival, Progress, Used};

/// What is known of an answer that is to be kept before it is there.
#[derive(Clone)]
pub struct Keeping {
    /// The service.
    pub app: Arc<App>,
    /// Whose.
    pub user: UserId,
    /// The answer that it goes on from.
    pub previous_id: Option<String>,
    /// Everything that went in.
    pub input: Vec<Value>,
}

impl Keeping {
    /// Keeps the answer, which is a response object.
    fn keep(&self, mut response: Map<String, Value>) {
        let Some(id) = response.get("id").and_then(Value::as_str) else {
            return;
        };
        let id = id.to_owned();
        if let Some(previous) = &self.previous_id {
            let previous = Value::String(previous.clone());
            response.insert("previous_response_id".to_owned(), previous);
        }
        let kept = Kept {
            id,
            previous_id: self.previous_id.clone(),
            input: self.input.clone(),
            response,
        };
        self.app.shelf().keep(&self.app, self.user, kept);
    }
}

/// An answer that is kept.
pub struct KeptAnswer {
    answer: Box<dyn Answer>,
    keeping: Keeping,
    frames: SseReader,
    is_stream: bool,
    /// What the answer's last piece meant, to be looked through before it goes out.
    heard: Joined,
}

impl KeptAnswer {
    /// Keeps this answer.
    pub fn new(answer: Box<dyn Answer>, keeping: Keeping, is_stream: bool) -> Self {
        Self {
            answer,
            keeping,
            frames: SseReader::default(),
            is_stream,
            heard: Joined::default(),
        }
    }

    /// Looks for the last event in what goes to the client.
    fn listen(&mut self, out: &mut Joined) {
        let bytes = self.heard.take();
        let mut last = None;
        // A frame that is too long to be looked through is not kept; it goes out all the same.
        let _ = self.frames.push(&bytes, &mut |frame| {
            let is_last = matches!(
                frame.event,
                Some("response.completed" | "response.incomplete")
            );
            if is_last {
                last = serde_json::from_slice::<Map<String, Value>>(frame.data).ok();
            }
        });
        if let Some(Value::Object(response)) = last.and_then(|mut event| event.remove("response")) {
            self.keeping.keep(response);
        }
        out.push(bytes);
    }
}

impl Answer for KeptAnswer {
    fn arrival(&mut self, head: &HeaderMap) -> Arrival {
        self.answer.arrival(head)
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        let body = self.answer.whole(body)?;
        if self.is_stream {
            self.heard.push(body);
            let mut out = Joined::default();
            self.listen(&mut out);
            return Ok(out.take());
        }
        if let Ok(response) = serde_json::from_slice(&body) {
            self.keeping.keep(response);
        }
        Ok(body)
    }

    fn piece(&mut self, piece: Bytes, out: &mut Joined) {
        self.answer.piece(piece, &mut self.heard);
        self.listen(out);
    }

    fn end(&mut self, out: &mut Joined) {
        self.answer.end(&mut self.heard);
        self.listen(out);
    }

    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool {
        self.answer.fail(failure, out)
    }

    fn ping(&mut self, out: &mut Joined) {
        self.answer.ping(out);
    }

    fn progress(&self) -> Progress {
        self.answer.progress()
    }

    fn failure(&self) -> Option<&Failure> {
        self.answer.failure()
    }

    fn content_type(&self) -> HeaderValue {
        self.answer.content_type()
    }

    fn headers(&self, headers: &mut HeaderMap) {
        self.answer.headers(headers);
    }

    fn used(&mut self) -> Used {
        self.answer.used()
    }
}
