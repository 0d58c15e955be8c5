//! What a client wants drawn, whichever way it said so.

use billing::pricing::{Bounds, Images, OtherUnits, TokenKinds};
use billing::tokens;
use bytes::Bytes;
use dialects::images::{ImageOperation, ImageOptions, ImageSource, MAX_IMAGES};

use crate::model_call::form::Form;

/// Tokens of an image that is drawn, at the finest.
const OUTPUT_TOKENS: u64 = 8_000;
/// Tokens of an image that is shown unfinished.
const PARTIAL_TOKENS: u64 = 100;
/// Tokens of an image that goes in, at the finest.
const INPUT_TOKENS: u64 = 8_000;
/// No call takes more images.
const MOST_SOURCES: u64 = 16;

/// What is to be drawn.
pub struct Wish {
    /// What is done.
    pub operation: ImageOperation,
    /// The model that the client asked for.
    pub model: String,
    /// What to draw, or to change; empty for variations.
    pub prompt: String,
    /// How.
    pub options: ImageOptions,
    /// The body.
    pub body: Source,
}

/// The client's body.
pub enum Source {
    /// JSON that asks for new images.
    Generation(Bytes),
    /// JSON that names images to change.
    Edit {
        /// The body.
        body: Bytes,
        /// The images.
        images: Vec<ImageSource>,
        /// Where to paint, if that is said.
        mask: Option<ImageSource>,
        /// Whether it names files of one vendor's account.
        is_bound: bool,
    },
    /// A form with images.
    Form(Form),
}

impl Wish {
    /// The most that it can use.
    pub fn bounds(&self) -> Bounds {
        let sources = match &self.body {
            Source::Generation(_) => 0,
            Source::Edit { images, .. } => images.len() as u64 + 1,
            Source::Form(form) if form.is_whole() => form.files().len() as u64,
            Source::Form(_) => MOST_SOURCES,
        };
        let count = match &self.body {
            // It may come after an image that is still to be read.
            Source::Form(form) if form.may_say("n") => MAX_IMAGES,
            _ => self.options.count,
        };
        let partial = self.options.partial_images.saturating_mul(PARTIAL_TOKENS);
        Bounds {
            input: tokens::bound(&self.prompt) + sources * INPUT_TOKENS,
            output: count * (OUTPUT_TOKENS + partial),
            kinds: TokenKinds::ALL,
            other: OtherUnits {
                calls: 1,
                images: vec![images(&self.options, count)],
                ..OtherUnits::default()
            },
        }
    }
}

/// So many images as they were asked for.
pub fn images(options: &ImageOptions, count: u64) -> Images {
    Images {
        size: options.size.clone(),
        quality: options.quality.clone(),
        count,
    }
}
