//! Listens to images on their way back. A client that asked for a stream gets one, also where the
//! upstream answers whole.

use billing::tokens;
use bytes::Bytes;
use dialects::canonical::{Failure, Usage};
use dialects::images::{ImageOperation, ImageOptions, ReplyTap, StreamTap, write_stream};
use dialects::outline::Outline;
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
    /// What the answer says of its own size and quality.
    facts: Outline,
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
            facts: Outline::new(&["size", "quality"], ""),
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
            Tap::Whole(tap) => {
                tap.push(bytes);
                self.facts.push(bytes);
            }
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
        for (mine, name) in [(&mut images.size, "size"), (&mut images.quality, "quality")] {
            let is_open = mine.as_deref().is_none_or(|asked| asked == "auto");
            if is_open && let Some(told) = self.facts.text(name) {
                *mine = Some(told);
            }
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
