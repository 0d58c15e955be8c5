//! Tools and the choice among them.

use serde_json::Value;

use super::{CacheMark, Extra};
use crate::DialectId;

/// A tool that the model may call.
#[derive(Debug, Clone, PartialEq)]
pub struct Tool {
    /// Its name; empty for hosted tools that have none.
    pub name: String,
    /// What it is for.
    pub description: Option<String>,
    /// The namespace that it was declared in (responses).
    pub namespace: Option<String>,
    /// What kind of tool.
    pub kind: ToolKind,
    /// A mark that ends a cached prefix here.
    pub cache: Option<CacheMark>,
    /// Fields that only the source dialect knows.
    pub extra: Extra,
}

/// The kinds of tools.
#[derive(Debug, Clone, PartialEq)]
pub enum ToolKind {
    /// Takes JSON arguments that fit a schema.
    Function {
        /// The schema; absent: no parameters.
        parameters: Option<Schema>,
        /// Whether the vendor must enforce it.
        strict: Option<bool>,
    },
    /// Takes free text (custom tools of chat completions and responses).
    Custom {
        /// Its grammar in the words of responses (flat), where there is one.
        format: Option<Value>,
    },
    /// Run by the vendor, or typed by it.
    Hosted(HostedTool),
}

/// A tool that the vendor runs or has typed.
#[derive(Debug, Clone, PartialEq)]
pub struct HostedTool {
    /// The dialect that declared it.
    pub dialect: DialectId,
    /// What it does, where another dialect has a counterpart.
    pub kind: HostedToolKind,
    /// The whole declaration.
    pub raw: Value,
}

/// Hosted tools that have counterparts in other dialects.
#[derive(Debug, Clone, PartialEq)]
pub enum HostedToolKind {
    /// Searches the web.
    WebSearch {
        /// Only these domains.
        allowed_domains: Vec<String>,
        /// Not these domains.
        blocked_domains: Vec<String>,
        /// `{city?, region?, country?, timezone?}`.
        user_location: Option<Value>,
        /// `low`, `medium`, `high`.
        context_size: Option<String>,
    },
    /// Runs code.
    CodeExecution,
    /// Reads pages.
    UrlFetch,
    /// Anything else.
    Other,
}

/// A JSON schema as some dialect spelled it.
#[derive(Debug, Clone, PartialEq)]
pub struct Schema {
    /// The schema.
    pub value: Value,
    /// Its spelling.
    pub form: SchemaForm,
}

impl Schema {
    /// A plain JSON schema.
    pub fn json(value: Value) -> Self {
        Self {
            value,
            form: SchemaForm::JsonSchema,
        }
    }
}

/// How a schema is spelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaForm {
    /// JSON Schema.
    JsonSchema,
    /// Generate content's subset: upper-case types, `nullable`, numbers as strings.
    OpenApi,
}

/// Which tools the model may or must call.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ToolChoice {
    /// The rule; absent: nothing was said.
    pub mode: Option<ChoiceMode>,
    /// Only these tools, where the client narrowed them.
    pub allowed: Option<Vec<ToolRef>>,
    /// Whether several calls in one answer are allowed.
    pub parallel: Option<bool>,
    /// The source's `tool_choice` where no other word of this struct holds it.
    pub raw: Option<Value>,
}

/// The rule of a tool choice.
#[derive(Debug, Clone, PartialEq)]
pub enum ChoiceMode {
    /// The model decides.
    Auto,
    /// The model decides, and calls are checked against their schema (generate content).
    Validated,
    /// No calls.
    None,
    /// At least one call.
    Required,
    /// This tool.
    Named(ToolRef),
    /// A hosted tool, in its own dialect's words.
    Hosted {
        /// That dialect.
        dialect: DialectId,
        /// The whole choice.
        raw: Value,
    },
}

/// Names a tool in a choice.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolRef {
    /// The tool's name.
    pub name: String,
    /// Whether it takes free text.
    pub is_free: bool,
}
