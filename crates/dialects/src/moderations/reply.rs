//! An upstream's answer, which goes to the client as it is.

use std::borrow::Cow;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::value::RawValue;

use crate::canonical::Failure;
use crate::error_body;
use crate::units::{Counts, Units};

/// What an answer tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    /// The model's name.
    pub model: Option<String>,
    /// How many verdicts it has.
    pub results: usize,
    /// What it used; most vendors tell nothing.
    pub units: Units,
}

#[derive(Deserialize)]
struct Body<'a> {
    results: Vec<IgnoredAny>,
    #[serde(borrow, default)]
    model: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(default)]
    error: Option<IgnoredAny>,
}

/// Reads an answer. One without verdicts is the upstream's fault.
pub fn read_reply(body: &[u8]) -> Result<Reply, Failure> {
    let read = serde_json::from_slice::<Body<'_>>(body).ok();
    let read = read.filter(|read| !read.results.is_empty() && read.error.is_none());
    let unusable = || error_body::unusable("The upstream's answer has no results.", body);
    let read = read.ok_or_else(unusable)?;
    Ok(Reply {
        model: read.model.map(Cow::into_owned),
        results: read.results.len(),
        units: Units::of_input(Counts::read(read.usage).input_or_total()),
    })
}
