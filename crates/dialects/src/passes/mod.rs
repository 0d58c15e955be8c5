//! What happens to a request between its reader and its writer, when client and upstream speak
//! different dialects. Each pass has one concern and changes the canonical form in place; after the
//! last one a writer can say everything that is left.

mod hosted_tools;
mod limits;
mod media;
mod output;
mod own_values;
mod part_names;
pub mod policy;
mod reasoning;
mod schema;
mod signatures;
#[cfg(test)]
mod survival_tests;
#[cfg(test)]
mod tests;
mod thoughts;
mod tool_choice;
mod tool_names;
mod tools;
mod turns;

pub use media::{Address, Fetched, MOST_ADDRESSES, all_urls, supply, urls_to_fetch};
pub use own_values::unwrap_own_values;
pub use signatures::{has_signatures, leave_own_signatures_out};

use std::borrow::Cow;

use crate::canonical::{Failure, Request};
use crate::dialect::name_once;
use crate::{Capabilities, DialectId, ReplyContext};

/// Who a request is prepared for.
#[derive(Debug, Clone)]
pub struct Target {
    /// The dialect that the upstream speaks.
    pub dialect: DialectId,
    /// What its model can do.
    pub can: Cow<'static, Capabilities>,
    /// Whether everything that cannot be said is refused instead of dropped.
    pub strict: bool,
    /// Whether its vendor has refused a proof of earlier reasoning: all of them are left out.
    pub without_signatures: bool,
    /// The most uses of one hosted tool that were reserved, to be told to an upstream of another dialect.
    pub hosted_uses: Option<u64>,
}

impl Target {
    /// The target that this upstream model is.
    pub fn new(dialect: DialectId, model: &str) -> Self {
        Self {
            dialect,
            can: Cow::Borrowed(Capabilities::of(dialect, model)),
            strict: false,
            without_signatures: false,
            hosted_uses: None,
        }
    }
}

/// Names of what was left out, each once, in the order it was met.
#[derive(Debug, Default)]
pub struct Dropped {
    names: Vec<String>,
    strict: bool,
}

impl Dropped {
    fn new(strict: bool) -> Self {
        Self {
            names: Vec::new(),
            strict,
        }
    }

    /// Notes that this field was left out; in strict mode that is a refusal.
    fn note(&mut self, field: &str) -> Result<(), Failure> {
        if self.strict {
            return Err(Failure::unsupported(
                field,
                format!("`{field}` cannot be carried to the model's own format (strict mode)."),
            ));
        }
        name_once(&mut self.names, field);
        Ok(())
    }
}

/// Makes a request fit for its target. Says what was left out, and notes in `reply` what the way
/// back has to restore.
pub fn prepare(
    request: &mut Request,
    target: &Target,
    reply: &mut ReplyContext,
) -> Result<Vec<String>, Failure> {
    let mut dropped = Dropped::new(target.strict);
    signatures::leave_out(request, target, &mut dropped)?;
    policy::apply(request, target, reply, &mut dropped)?;
    media::place(request, target, &mut dropped)?;
    turns::merge_assistants(&mut request.turns);
    thoughts::place(request, target);
    turns::arrange(request, target, &mut dropped)?;
    tools::fit(request, target, reply, &mut dropped)?;
    tool_choice::fit(request, target, &mut dropped)?;
    output::fit(request, target, reply, &mut dropped)?;
    reasoning::fit(request, target, &mut dropped)?;
    limits::fit(request, target, &mut dropped)?;
    schema::fit(request, target);
    thoughts::mark_calls(request, target);
    Ok(dropped.names)
}
