//! Tokens of image models. Where a vendor does not tell them apart: what comes out is image, what
//! goes in is text for a generation and image for an edit.

use serde_json::value::RawValue;

use super::ImageOperation;
use crate::canonical::Usage;
use crate::units::Counts;

/// Reads a `usage` object.
pub(super) fn read(raw: Option<&RawValue>, operation: ImageOperation) -> Usage {
    let counts = Counts::read(raw);
    let mut usage = counts.usage();
    if usage.output_image.is_none() && counts.output_kinds.text.is_none() {
        usage.output_image = usage.output;
    }
    let is_split = counts.input_kinds.text.is_some() || usage.input_image.is_some();
    if !is_split && operation != ImageOperation::Generate {
        usage.input_image = usage.input;
    }
    usage
}
