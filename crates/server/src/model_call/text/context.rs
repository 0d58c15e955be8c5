//! What the way back must know of the way there.

use std::cell::OnceCell;
use std::sync::Arc;

use billing::tokens::{approximate, approximate_request};
use dialects::canonical::Request;
use dialects::{DialectId, Framing, ReplyContext};

use super::input::Input;
use super::task::TextTask;
use super::usage;
use crate::model_call::call::Call;

/// The context of one attempt's answer, made when somebody asks for it: an answer that goes through as it is
/// needs none.
pub struct Context {
    dialect: DialectId,
    request_id: Arc<str>,
    at_ms: i64,
    model: Arc<str>,
    include_usage: bool,
    /// How the client wants a stream framed.
    pub framing: Framing,
    /// About how many tokens the prompt is.
    estimated_input: u64,
    /// The prompt, to be counted.
    pub input: Input,
    made: OnceCell<Box<ReplyContext>>,
}

impl Context {
    /// The context of answers to this task.
    pub fn new(call: &Call, task: &TextTask) -> Self {
        Self {
            dialect: call.dialect,
            request_id: Arc::clone(&call.caller.request_id),
            at_ms: call.caller.at_ms,
            model: Arc::clone(&task.model),
            include_usage: task.scan.include_usage,
            framing: call.framing,
            estimated_input: approximate(task.body.len() as u64),
            input: Input::of_body(task.client, task.path.clone(), task.body.clone()),
            made: OnceCell::new(),
        }
    }

    /// Notes the request that the call is converted from.
    pub fn convert(&mut self, request: &Request, task: &TextTask) {
        self.estimated_input = approximate_request(request, task.body.len());
        self.input = Input::of_request(request, task.path.clone(), &task.body);
    }

    /// The context itself.
    pub fn get(&self) -> &ReplyContext {
        self.made.get_or_init(|| Box::new(self.make()))
    }

    /// The same, to add to it.
    pub fn get_mut(&mut self) -> &mut ReplyContext {
        self.get();
        self.made.get_mut().expect("it was just made")
    }

    /// The same for whoever needs nothing else.
    pub fn into_inner(mut self) -> ReplyContext {
        std::mem::take(self.get_mut())
    }

    /// Whether we have to end the answer at strings that the upstream could not be told of.
    pub fn has_stop(&self) -> bool {
        self.made.get().is_some_and(|made| !made.stop.is_empty())
    }

    fn make(&self) -> ReplyContext {
        let prefix = match self.dialect {
            DialectId::ChatCompletions => "chatcmpl-",
            DialectId::TextCompletions => "cmpl-",
            DialectId::Messages => "msg_",
            DialectId::Responses => "resp_",
            DialectId::GenerateContent => "",
        };
        ReplyContext {
            id: [prefix, &*self.request_id].concat(),
            request_id: String::from(&*self.request_id),
            created: u64::try_from(self.at_ms / 1000).unwrap_or(0),
            model: String::from(&*self.model),
            include_usage: self.include_usage,
            framing: self.framing,
            estimated_input: self.estimated_input,
            count_input: Some(self.input.counter()),
            count_said: Some(usage::said),
            show_reasoning: true,
            ..ReplyContext::default()
        }
    }
}
