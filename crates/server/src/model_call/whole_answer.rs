//! The way back of operations whose answers come whole: read, perhaps rewritten, counted.

use bytes::Bytes;
use dialects::canonical::Failure;
use http::{HeaderMap, HeaderValue};
use providers::RequestBody;

use super::joined::Joined;
use super::task::{Answer, Arrival, Progress, Used};

/// What is made of an upstream's answer.
pub trait Reading: Send {
    /// The longest answer that is taken.
    fn longest(&self) -> usize;

    /// Takes an answer; another request where the question takes several.
    fn another(&mut self, _body: &Bytes) -> Option<RequestBody> {
        None
    }

    /// The client's body and what was used, from the last answer.
    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure>;
}

/// An answer that is read whole.
pub struct WholeAnswer<R> {
    reading: R,
    content_type: &'static str,
    used: Used,
}

impl<R: Reading> WholeAnswer<R> {
    /// An answer of this media type.
    pub fn new(reading: R, content_type: &'static str) -> Self {
        Self {
            reading,
            content_type,
            used: Used::default(),
        }
    }

    /// An answer in JSON.
    pub fn json(reading: R) -> Self {
        Self::new(reading, "application/json")
    }
}

impl<R: Reading> Answer for WholeAnswer<R> {
    fn arrival(&mut self, _: &HeaderMap) -> Arrival {
        let longest = self.reading.longest();
        Arrival::Whole { longest }
    }

    fn another(&mut self, body: &Bytes) -> Option<RequestBody> {
        self.reading.another(body)
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        let (body, used) = self.reading.read(body)?;
        self.used = used;
        Ok(body)
    }

    fn piece(&mut self, _: Bytes, _: &mut Joined) {}

    fn end(&mut self, _: &mut Joined) {}

    fn fail(&mut self, _: &Failure, _: &mut Joined) -> bool {
        false
    }

    fn progress(&self) -> Progress {
        Progress::Finished
    }

    fn failure(&self) -> Option<&Failure> {
        None
    }

    fn content_type(&self) -> HeaderValue {
        HeaderValue::from_static(self.content_type)
    }

    fn used(&mut self) -> Used {
        std::mem::take(&mut self.used)
    }
}
