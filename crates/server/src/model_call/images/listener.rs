//! Listens to images on their way back. A client that asked for a stream gets one, also where the
//! upstream answers whole.

use billing::tokens;
use bytes::Bytes;
use dialects::canonical::{Failure, Usage};
use dialects::images::{ImageOperation, ImageOptions, ReplyTap, StreamTap, write_stream};
use dialects::units::Units;

use super::wish::{Source, Wish, images};
use crate::model_call::form::Watcher;
use crate::model_call::metering::{self, Basis};
use crate::model_call::passing_answer::Listener;
use crate::model_call::task::{Arrival, Used};

/// The longest answer that is taken whole.
const LONGEST: usize = 256 << 20;

/// Counts images.
pub struct ImageListener {
    operation: ImageOperation,
    options: ImageOptions,
    prompt_tokens: u64,
    /// What passes of a form.
    watcher: Option<Watcher>,
    basis: Basis,
    tap: Tap,
    told: Units,
    is_turned: bool,
}

enum Tap {
    Whole(ReplyTap),
    Events(Box<StreamTap>),
}

impl ImageListener {
    /// A listener to the answer to this wish.
    pub fn new(wish: &Wish, basis: Basis) -> Self {
        Self {
            operation: wish.operation,
            options: wish.options.clone(),
            prompt_tokens: tokens::approximate(wish.prompt.len() as u64),
            watcher: match &wish.body {
                Source::Form(form) => Some(form.watcher()),
                _ => None,
            },
            basis,
            tap: Tap::Whole(ReplyTap::new(wish.operation)),
            told: Units::default(),
            is_turned: false,
        }
    }

    /// By now the whole form has passed: what came after a large image counts too.
    fn take_late_texts(&mut self) {
        let Some(watcher) = self.watcher.take() else {
            return;
        };
        let texts = watcher.texts();
        let parts = texts.iter().map(|(name, value)| (&**name, &**value));
        if let Ok(options) = ImageOptions::from_parts(parts) {
            self.options = options;
        }
        if let Some((_, prompt)) = texts.iter().find(|(name, _)| name == "prompt") {
            self.prompt_tokens = tokens::approximate(prompt.len() as u64);
        }
    }
}

impl Listener for ImageListener {
    fn begin(&mut self, is_events: bool) -> Arrival {
        self.take_late_texts();
        if is_events {
            self.tap = Tap::Events(Box::new(StreamTap::new(self.operation)));
        } else if self.options.stream {
            self.is_turned = true;
            return Arrival::Whole { longest: LONGEST };
        }
        Arrival::Pieces
    }

    fn whole(&mut self, body: Bytes) -> Result<Bytes, Failure> {
        self.push(&body);
        self.close()?;
        Ok(write_stream(&body, self.operation)?.into())
    }

    fn push(&mut self, bytes: &[u8]) {
        match &mut self.tap {
            Tap::Whole(tap) => tap.push(bytes),
            Tap::Events(tap) => tap.push(bytes),
        }
    }

    fn failure(&self) -> Option<Failure> {
        match &self.tap {
            Tap::Whole(_) => None,
            Tap::Events(tap) => tap.failure().cloned(),
        }
    }

    fn close(&mut self) -> Result<(), Failure> {
        self.told = match &mut self.tap {
            Tap::Whole(tap) => tap.finish()?,
            Tap::Events(tap) => tap.close()?,
        };
        Ok(())
    }

    fn content_type(&self) -> Option<&'static str> {
        self.is_turned.then_some("text/event-stream; charset=utf-8")
    }

    /// Whoever hangs up pays for what was asked for: the upstream draws it all the same.
    fn used(&mut self, is_complete: bool) -> Used {
        let mut images = images(&self.options, self.options.count);
        if is_complete {
            images.count = self.told.images.unwrap_or(images.count);
        } else if let Tap::Events(tap) = &self.tap {
            self.told = tap.units();
        }
        if let Tap::Whole(tap) = &self.tap {
            take_if_open(&mut images.size, tap.size());
            take_if_open(&mut images.quality, tap.quality());
        }
        let counted = Units {
            tokens: Usage {
                input: Some(self.prompt_tokens),
                ..Usage::default()
            },
            ..Units::default()
        };
        let used = metering::used(&self.told, &counted, self.basis);
        metering::with_images(used, images)
    }
}

/// What the answer tells counts where the model was left to choose.
fn take_if_open(asked: &mut Option<String>, told: Option<String>) {
    let is_open = asked.as_deref().is_none_or(|asked| asked == "auto");
    if is_open && told.is_some() {
        *asked = told;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size and quality that an answer is charged by.
    fn charged_by(size: Option<&str>, quality: Option<&str>) -> (Option<String>, Option<String>) {
        let wish = Wish {
            operation: ImageOperation::Generate,
            model: "painter".to_owned(),
            prompt: "a fox".to_owned(),
            options: ImageOptions {
                count: 1,
                size: size.map(str::to_owned),
                quality: quality.map(str::to_owned),
                ..ImageOptions::default()
            },
            body: Source::Generation(Bytes::new()),
        };
        let mut listener = ImageListener::new(&wish, Basis::default());
        let answer = br#"{"size":"1024x1536","data":[{"b64_json":"AAAA"}],"quality":"high"}"#;
        // Cut in the middle of a member that counts.
        let (first, rest) = answer.split_at(12);
        listener.push(first);
        listener.push(rest);
        listener.close().unwrap();
        let mut images = listener.used(true).usage.other.images;
        let images = images.remove(0);
        (images.size, images.quality)
    }

    #[test]
    fn what_the_model_chose_counts_where_it_was_left_to_it() {
        let (size, quality) = charged_by(None, Some("auto"));
        assert_eq!(size.as_deref(), Some("1024x1536"));
        assert_eq!(quality.as_deref(), Some("high"));
        let (size, quality) = charged_by(Some("256x256"), Some("low"));
        assert_eq!(size.as_deref(), Some("256x256"));
        assert_eq!(quality.as_deref(), Some("low"));
    }
}
