//! What the way back must know of the way there.

use billing::tokens::approximate;
use dialects::{DialectId, ReplyContext};

use super::task::TextTask;
use crate::model_call::call::Call;

/// The context of one attempt's answer.
pub fn of(call: &Call, task: &TextTask) -> ReplyContext {
    let prefix = match call.dialect {
        DialectId::ChatCompletions => "chatcmpl-",
        DialectId::TextCompletions => "cmpl-",
        DialectId::Messages => "msg_",
        DialectId::Responses => "resp_",
        DialectId::GenerateContent => "",
    };
    let mut id = String::with_capacity(prefix.len() + call.caller.request_id.len());
    id.push_str(prefix);
    id.push_str(&call.caller.request_id);
    ReplyContext {
        id,
        request_id: String::from(&*call.caller.request_id),
        created: u64::try_from(call.caller.at_ms / 1000).unwrap_or(0),
        model: task.model.clone(),
        include_usage: task.scan.include_usage,
        framing: call.framing,
        estimated_input: approximate(task.body.len() as u64),
        show_reasoning: true,
        ..ReplyContext::default()
    }
}
