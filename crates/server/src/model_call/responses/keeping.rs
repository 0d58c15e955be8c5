//! Keeps an answer while it goes to the client, under an id of the gateway's own: the whole body, or the last event of a
//! stream, which repeats all of it.

use std::sync::Arc;

use bytes::Bytes;
use dialects::canonical::Failure;
use http::{HeaderMap, HeaderValue};
use serde_json::{Map, Value};
use store::UserId;

use super::renamed::{Names, RenamedStream};
use crate::app::App;
use crate::kept_responses::Kept;
use crate::model_call::joined::Joined;
use crate::model_call::task::{Answer, Arrival, Counting, Progress, Used};

/// What is known of an answer that is to be kept before it is there.
#[derive(Clone)]
pub struct Keeping {
    /// The service.
    pub app: Arc<App>,
    /// Whose.
    pub user: UserId,
    /// The ids that the client knows.
    pub names: Names,
    /// Everything that went in.
    pub input: Vec<Value>,
}

impl Keeping {
    /// Keeps the answer, which is a response object.
    fn keep(&self, response: Map<String, Value>) {
        let Names { id, previous_id } = self.names.clone();
        let kept = Kept {
            id,
            previous_id,
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
    stream: RenamedStream,
    is_stream: bool,
    /// What the answer's last piece meant, to be looked through before it goes out.
    heard: Joined,
}

impl KeptAnswer {
    /// Keeps this answer.
    pub fn new(answer: Box<dyn Answer>, keeping: Keeping, is_stream: bool) -> Self {
        Self {
            answer,
            stream: RenamedStream::new(keeping.names.clone()),
            keeping,
            is_stream,
            heard: Joined::default(),
        }
    }

    /// Renames what goes to the client, and keeps what its last event repeats.
    fn listen(&mut self, out: &mut Joined) {
        let bytes = self.heard.take();
        let keeping = &self.keeping;
        let keep = |response| keeping.keep(response);
        self.stream.push(&bytes, out.end(), keep);
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
            out.extend(&self.stream.rest());
            return Ok(out.take());
        }
        let Ok(mut response) = serde_json::from_slice(&body) else {
            return Ok(body);
        };
        self.keeping.names.put_into(&mut response);
        let body = serde_json::to_vec(&response).expect("JSON values can be written");
        self.keeping.keep(response);
        Ok(body.into())
    }

    fn piece(&mut self, piece: Bytes, out: &mut Joined) {
        self.answer.piece(piece, &mut self.heard);
        self.listen(out);
    }

    fn end(&mut self, out: &mut Joined) {
        self.answer.end(&mut self.heard);
        self.listen(out);
        out.extend(&self.stream.rest());
    }

    fn fail(&mut self, failure: &Failure, out: &mut Joined) -> bool {
        // What was held is the beginning of a frame that never ends.
        self.stream.rest();
        let is_told = self.answer.fail(failure, &mut self.heard);
        self.listen(out);
        out.extend(&self.stream.rest());
        is_told
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

    fn counting(&mut self) -> Option<Counting> {
        self.answer.counting()
    }

    fn used(&mut self) -> Used {
        self.answer.used()
    }
}
