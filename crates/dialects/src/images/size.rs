//! The size of an image.

use crate::canonical::Failure;
use crate::fields::wrong;

/// The size that a client asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Width and height in pixels.
    Pixels(u32, u32),
    /// A ratio of width and height.
    Ratio(u32, u32),
    /// Left to the model, or a word of some vendor.
    Other,
}

impl Size {
    /// Reads a size. What looks like a size and is none is refused: it would be priced wrongly.
    pub fn read(text: &str) -> Result<Self, Failure> {
        if text.contains(['×', '✕', '*', 'X']) {
            let message = format!(
                "`size` must be two numbers with the letter x between them, like 1024x1024, not `{text}`."
            );
            return Err(Failure::bad_request("size", message));
        }
        let pair = |separator| {
            let (width, height) = text.split_once(separator)?;
            Some((side(width)?, side(height)?))
        };
        if let Some((width, height)) = pair('x') {
            return Ok(Self::Pixels(width, height));
        }
        if let Some((width, height)) = pair(':') {
            return Ok(Self::Ratio(width, height));
        }
        if text.is_empty()
            || text.len() > 32
            || text.starts_with(|c: char| c.is_ascii_digit() && text.contains('x'))
        {
            return Err(wrong("size", "a size like 1024x1024, or auto"));
        }
        Ok(Self::Other)
    }

    /// Width divided by height, in thousandths.
    pub fn ratio(self) -> Option<u64> {
        match self {
            Self::Pixels(width, height) | Self::Ratio(width, height) => {
                Some(u64::from(width) * 1000 / u64::from(height))
            }
            Self::Other => None,
        }
    }
}

fn side(text: &str) -> Option<u32> {
    let is_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse()
        .ok()
        .filter(|side| is_digits && (1..=100_000).contains(side))
}
