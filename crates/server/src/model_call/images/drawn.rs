//! Images of models that are asked in another way: gathered over as many calls as it takes, and
//! written as a client of the common format expects them.

use billing::pricing::Images;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::images::{ImageOperation, Pictures, google, imagen, write_reply, write_stream};
use dialects::units::Units;
use providers::RequestBody;

use super::wish::{Wish, images};
use crate::model_call::metering::{self, Basis};
use crate::model_call::task::Used;
use crate::model_call::whole_answer::Reading;

/// The longest answer to one call.
const LONGEST: usize = 64 << 20;

/// Who draws.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Maker {
    /// A model behind `:generateContent`: one image a call.
    Google,
    /// A model behind `:predict`.
    Imagen,
}

/// Gathers images.
pub struct Drawn {
    maker: Maker,
    operation: ImageOperation,
    /// The body of each further call.
    body: Bytes,
    calls_left: u64,
    pictures: Pictures,
    failure: Option<Failure>,
    images: Images,
    as_url: bool,
    is_stream: bool,
    created: u64,
    basis: Basis,
}

impl Drawn {
    /// What is to be gathered for this wish; `body` is what each call asks.
    pub fn new(wish: &Wish, maker: Maker, body: Bytes, created: u64, basis: Basis) -> Self {
        let calls = match maker {
            Maker::Google => wish.options.count,
            Maker::Imagen => 1,
        };
        Self {
            maker,
            operation: wish.operation,
            body,
            calls_left: calls.saturating_sub(1),
            pictures: Pictures::default(),
            failure: None,
            images: images(&wish.options, 0),
            as_url: wish.options.response_format.as_deref() == Some("url"),
            is_stream: wish.options.stream,
            created,
            basis,
        }
    }

    /// The media type of the client's body.
    pub fn content_type(&self) -> &'static str {
        if self.is_stream {
            "text/event-stream; charset=utf-8"
        } else {
            "application/json"
        }
    }

    fn take(&mut self, body: &[u8]) {
        let read = match self.maker {
            Maker::Google => google::read_reply(body),
            Maker::Imagen => imagen::read_reply(body),
        };
        match read {
            Ok(pictures) => self.pictures.add(pictures),
            Err(failure) => self.failure = Some(failure),
        }
    }
}

impl Reading for Drawn {
    fn longest(&self) -> usize {
        LONGEST
    }

    fn another(&mut self, body: &Bytes) -> Option<RequestBody> {
        self.calls_left = self.calls_left.checked_sub(1)?;
        self.take(body);
        Some(RequestBody::Whole(self.body.clone()))
    }

    fn read(&mut self, body: Bytes) -> Result<(Bytes, Used), Failure> {
        self.take(&body);
        // What was refused of several is just not there; where all was, that is the answer.
        if self.pictures.images.is_empty()
            && let Some(failure) = self.failure.take()
        {
            return Err(failure);
        }
        let mut images = self.images.clone();
        images.count = self.pictures.images.len() as u64;
        let told = Units {
            tokens: self.pictures.usage.clone().unwrap_or_default(),
            ..Units::default()
        };
        let used = metering::used(&told, &Units::default(), self.basis);
        let body = write_reply(&self.pictures, self.created, self.as_url);
        let body = if self.is_stream {
            write_stream(&body, self.operation)?
        } else {
            body
        };
        Ok((body.into(), metering::with_images(used, images)))
    }
}
