//! The one internal form of a generation. A reader turns a dialect's bytes into it faithfully, the
//! passes in between change it for the target, a writer turns it into the target's bytes.

pub mod event;
pub mod failure;
pub mod part;
pub mod reply;
pub mod request;
pub mod tool;
pub mod usage;

pub use event::{At, Event, EventSink, PartHead};
pub use failure::{Failure, FailureKind};
pub use part::{
    Annotation, Arguments, CacheMark, Hosted, Media, MediaClass, MediaSource, Part, PartKind,
    Thinking, ThinkingForm, ToolCall, ToolResult,
};
pub use reply::{Choice, Finish, FinishReason, Reply};
pub use request::{
    ALIKE, ContentShape, Effort, OutputFormat, Reasoning, ReasoningMode, ReasoningShow, Request,
    Role, Sampling, StreamOptions, Turn,
};
pub use tool::{
    ChoiceMode, HostedTool, HostedToolKind, Schema, SchemaForm, Tool, ToolChoice, ToolKind, ToolRef,
};
pub use usage::Usage;

/// Fields that only the dialect they came from understands, in their original order. They are
/// written again when the target speaks that same dialect, and left out otherwise.
pub type Extra = serde_json::Map<String, serde_json::Value>;
