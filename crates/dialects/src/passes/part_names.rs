//! What a part is called in the client's own body, so that a refusal can point at it.

use crate::canonical::{Part, PartKind, Request};
use crate::{DialectId, chat_completions, responses};

/// The name of a part that stands in the request as it was read, in the spelling of the client's
/// dialect. A tool's result is a message of its own in some.
pub(super) fn of(request: &Request, turn: usize, part: usize) -> String {
    let parts = &request.turns[turn].parts;
    let is_result = matches!(parts[part].kind, PartKind::ToolResult(_));
    let turn = turn + leading_messages(request);
    match request.source {
        DialectId::ChatCompletions if is_result => format!("messages[{turn}]"),
        DialectId::Responses if is_result => format!("input[{turn}]"),
        DialectId::ChatCompletions | DialectId::TextCompletions => {
            format!("messages[{turn}].content[{part}]")
        }
        DialectId::Messages => format!("messages.{turn}.content.{part}"),
        DialectId::GenerateContent => format!("contents[{turn}].parts[{part}]"),
        DialectId::Responses => format!("input[{turn}].content[{part}]"),
    }
}

/// Messages before the first turn are system text and no turns; each has marked its first part.
fn leading_messages(request: &Request) -> usize {
    let mark = match request.source {
        DialectId::ChatCompletions => chat_completions::spelling::MESSAGE,
        DialectId::Responses => responses::ITEM,
        _ => return 0,
    };
    let opens = |part: &&Part| part.extra.contains_key(mark);
    request.system.iter().filter(opens).count()
}
