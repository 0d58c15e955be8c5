//! The boundary that a `content-type` names.

use super::parameters::Parameters;

/// No boundary is longer.
const LONGEST: usize = 200;

/// A content type from which no form can be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BadBoundary {
    /// It is another media type, or none.
    OtherType,
    /// It names no boundary that could be one.
    Missing,
}

/// The boundary of a form.
pub fn boundary(content_type: Option<&str>) -> Result<String, BadBoundary> {
    let content_type = content_type.ok_or(BadBoundary::OtherType)?;
    let kind = content_type.split(';').next().unwrap_or_default();
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return Err(BadBoundary::OtherType);
    }
    let (_, parameters) = Parameters::read(content_type).map_err(|_| BadBoundary::Missing)?;
    let named = parameters.get("boundary").map(str::to_owned);
    let is_fit = |text: &String| {
        (1..=LONGEST).contains(&text.len())
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    };
    named.filter(is_fit).ok_or(BadBoundary::Missing)
}
