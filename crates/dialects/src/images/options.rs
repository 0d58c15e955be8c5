//! What generation, edits and variations have in common, from a JSON body or from a form's parts.

use super::Size;
use crate::canonical::Failure;
use crate::fields::{Fields, flag, in_range, once, one_of, wrong};

/// How many images a call may ask for, unless the channel says otherwise.
pub const MAX_IMAGES: u64 = 10;

/// What a client asks for, as far as price and stream depend on it. Absent fields are the vendor's
/// to decide, and its answer then tells what it decided.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageOptions {
    /// How many images.
    pub count: u64,
    /// The size, as the client wrote it.
    pub size: Option<String>,
    /// The quality, as the client wrote it.
    pub quality: Option<String>,
    /// Whether a stream is wanted.
    pub stream: bool,
    /// How many unfinished images a stream shows of each.
    pub partial_images: u64,
    /// `url` or `b64_json`.
    pub response_format: Option<String>,
    /// The file format.
    pub output_format: Option<String>,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            count: 1,
            size: None,
            quality: None,
            stream: false,
            partial_images: 0,
            response_format: None,
            output_format: None,
        }
    }
}

impl ImageOptions {
    /// The texts of a form that say them.
    pub const NAMES: [&str; 7] = [
        "n",
        "partial_images",
        "size",
        "quality",
        "response_format",
        "output_format",
        "stream",
    ];

    /// Reads them from a JSON body.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, Failure> {
        let text = |name: &str| Ok(fields.string(name)?.map(std::borrow::Cow::into_owned));
        in_range(
            "output_compression",
            fields.whole("output_compression")?,
            &(0..=100),
        )?;
        for name in ["background", "moderation", "style", "user"] {
            fields.string(name)?;
        }
        let options = Self {
            count: fields.whole("n")?.unwrap_or(1),
            size: text("size")?,
            quality: text("quality")?,
            stream: fields.boolean("stream")?.unwrap_or(false),
            partial_images: fields.whole("partial_images")?.unwrap_or(0),
            response_format: text("response_format")?,
            output_format: text("output_format")?,
        };
        options.checked()
    }

    /// Reads them from a form's text parts; parts of other names say nothing here.
    pub fn from_parts<'p>(
        parts: impl IntoIterator<Item = (&'p str, &'p str)>,
    ) -> Result<Self, Failure> {
        let mut options = Self::default();
        let mut seen = Vec::new();
        for (name, value) in parts {
            let whole = || {
                value
                    .trim()
                    .parse::<u64>()
                    .map_err(|_| wrong(name, "a whole number, not negative"))
            };
            match name {
                "n" => options.count = whole()?,
                "partial_images" => options.partial_images = whole()?,
                "size" => options.size = Some(value.to_owned()),
                "quality" => options.quality = Some(value.to_owned()),
                "response_format" => options.response_format = Some(value.to_owned()),
                "output_format" => options.output_format = Some(value.to_owned()),
                "stream" => options.stream = flag(name, value)?,
                _ => continue,
            }
            once(&mut seen, name)?;
        }
        options.checked()
    }

    /// The count is checked before it is ever multiplied with a price.
    fn checked(self) -> Result<Self, Failure> {
        in_range("n", Some(self.count), &(1..=MAX_IMAGES))?;
        in_range("partial_images", Some(self.partial_images), &(0..=3))?;
        let format = self.response_format.as_deref();
        one_of("response_format", format, &["url", "b64_json"])?;
        if let Some(size) = &self.size {
            Size::read(size)?;
        }
        Ok(self)
    }

    /// The size that is asked for.
    pub fn pixels(&self) -> Size {
        let size = self.size.as_deref().and_then(|size| Size::read(size).ok());
        size.unwrap_or(Size::Other)
    }
}
