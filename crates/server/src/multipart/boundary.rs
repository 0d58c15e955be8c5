//! The boundary that a `content-type` names.

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
    let (kind, parameters) = content_type
        .and_then(|text| text.split_once(';').or(Some((text, ""))))
        .ok_or(BadBoundary::OtherType)?;
    if !kind.trim().eq_ignore_ascii_case("multipart/form-data") {
        return Err(BadBoundary::OtherType);
    }
    let named = parameters.split(';').find_map(|parameter| {
        let (name, value) = parameter.split_once('=')?;
        let value = value.trim().trim_matches('"');
        let is_it = name.trim().eq_ignore_ascii_case("boundary");
        is_it.then(|| value.to_owned())
    });
    let is_fit = |text: &String| {
        (1..=LONGEST).contains(&text.len())
            && text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
    };
    named.filter(is_fit).ok_or(BadBoundary::Missing)
}
