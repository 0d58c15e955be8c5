//! Limits in a client's event: the most output of a response, and its tools. What is held for the next response covers no
//! more than this.

use serde::Deserialize;

use crate::canonical::Failure;
use crate::fields::{Fields, wrong};

/// The most output tokens of a response that a client may ask for.
pub const MOST_OUTPUT_TOKENS: u64 = 4096;

/// The names of the cap; the second is that of older clients.
const CAPS: [&str; 2] = ["max_output_tokens", "max_response_output_tokens"];

/// Tools that cost no more than their tokens.
const TOOLS: [&str; 2] = ["function", "mcp"];

#[derive(Deserialize)]
struct Tool {
    #[serde(rename = "type")]
    kind: Option<String>,
}

/// Refuses limits in the member of this name that nothing is held for.
pub(super) fn check(event: &Fields<'_>, name: &str) -> Result<(), Failure> {
    let Some(raw) = event.raw(name) else {
        return Ok(());
    };
    let fields = Fields::of(raw, name)?;
    for cap in CAPS {
        let is_open = fields.raw(cap).is_none_or(|raw| raw.get() == "\"inf\"");
        if is_open {
            continue;
        }
        let most = format!("`inf` or a whole number from 1 to {MOST_OUTPUT_TOKENS}");
        let path = format!("{name}.{cap}");
        match fields.whole(cap) {
            Ok(Some(1..=MOST_OUTPUT_TOKENS)) => {}
            _ => return Err(wrong(&path, &most)),
        }
    }
    let tools: Option<Vec<Tool>> = fields.parsed("tools", "a list of tools")?;
    let other = tools
        .into_iter()
        .flatten()
        .find_map(|tool| tool.kind.filter(|kind| !TOOLS.contains(&kind.as_str())));
    match other {
        None => Ok(()),
        Some(kind) => {
            let text =
                format!("The tool `{kind}` cannot be used here: nothing says what it costs.");
            Err(Failure::bad_request(format!("{name}.tools"), text))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::realtime::ClientEvent;

    #[test]
    fn caps_and_tools_are_within_what_is_held() {
        for (inner, is_fine) in [
            ("{}", true),
            (r#"{"max_output_tokens":"inf"}"#, true),
            (
                r#"{"max_output_tokens":4096,"tools":[{"type":"function"},{"type":"mcp"}]}"#,
                true,
            ),
            (r#"{"max_output_tokens":null}"#, true),
            (r#"{"max_output_tokens":4097}"#, false),
            (r#"{"max_output_tokens":0}"#, false),
            (r#"{"max_output_tokens":-1}"#, false),
            (r#"{"max_output_tokens":"5"}"#, false),
            (r#"{"max_output_token\u0073":100000}"#, false),
            (r#"{"max_response_output_tokens":100000}"#, false),
            (r#"{"tools":[{"type":"web_search"}]}"#, false),
        ] {
            for (kind, name) in [
                ("session.update", "session"),
                ("response.create", "response"),
            ] {
                let frame = format!(r#"{{"type":"{kind}","{name}":{inner}}}"#);
                assert_eq!(ClientEvent::read(&frame).is_ok(), is_fine, "{frame}");
            }
        }
    }
}
