//! Tools that a vendor runs, and their charges. A tool that is in no list may cost anything.

use super::Bound;
use super::number::word;
use super::read::{MOST_USES, Reader};
use crate::DialectId;
use crate::canonical::Failure;
use crate::canonical::usage::SEARCHES;
use crate::walk::{Broken, Kind, Walk};

/// A type of tool.
struct Type {
    /// Its name; a date may follow if it ends with a line.
    name: &'static str,
    cost: Cost,
}

/// The charges for a tool.
#[derive(Debug, Clone, Copy)]
enum Cost {
    /// The tokens of the call and nothing else: the client runs it.
    Nothing,
    /// Input tokens that it adds.
    Tokens,
    /// The same, and a price by the use.
    Use(&'static str),
    /// The same with one use by an answer for some models of Google.
    Answer(&'static str),
    /// What the tools in it cost.
    Inner,
    /// The price by the use, unless the client runs it.
    Environment(&'static str),
}

const fn tool(name: &'static str, cost: Cost) -> Type {
    Type { name, cost }
}

/// Types of chat completions and responses.
const OPENAI: &[Type] = &[
    tool("function", Cost::Nothing),
    tool("custom", Cost::Nothing),
    tool("namespace", Cost::Inner),
    tool("apply_patch", Cost::Nothing),
    tool("local_shell", Cost::Nothing),
    tool("computer", Cost::Nothing),
    tool("computer_use", Cost::Nothing),
    tool("computer_use_preview", Cost::Nothing),
    tool("tool_search", Cost::Nothing),
    tool("programmatic_tool_calling", Cost::Nothing),
    tool("mcp", Cost::Tokens),
    tool("web_search", Cost::Use(SEARCHES)),
    tool("web_search_", Cost::Use(SEARCHES)),
    tool("web_search_preview", Cost::Use(SEARCHES)),
    tool("web_search_preview_", Cost::Use(SEARCHES)),
    tool("file_search", Cost::Use("file_search_requests")),
    tool("code_interpreter", Cost::Use("code_interpreter_requests")),
    tool("image_generation", Cost::Use("image_generation_requests")),
    tool("shell", Cost::Environment("shell_requests")),
];

/// Types of messages.
const MESSAGES: &[Type] = &[
    tool("custom", Cost::Nothing),
    tool("function", Cost::Nothing),
    tool("bash_", Cost::Nothing),
    tool("computer_", Cost::Nothing),
    tool("memory_", Cost::Nothing),
    tool("text_editor_", Cost::Nothing),
    tool("tool_search_tool_bm25_", Cost::Nothing),
    tool("tool_search_tool_regex_", Cost::Nothing),
    tool("mcp_toolset", Cost::Tokens),
    tool("web_fetch_", Cost::Tokens),
    tool("web_search_", Cost::Use(SEARCHES)),
    tool("code_execution_", Cost::Use("code_execution_requests")),
];

/// Members of an entry of generate content's `tools`; compared without lines and letter case.
const GENERATE: &[Type] = &[
    tool("functionDeclarations", Cost::Nothing),
    tool("computerUse", Cost::Nothing),
    tool("codeExecution", Cost::Tokens),
    tool("urlContext", Cost::Tokens),
    tool("fileSearch", Cost::Tokens),
    tool("mcpServers", Cost::Tokens),
    tool("googleSearch", Cost::Answer(SEARCHES)),
    tool("googleSearchRetrieval", Cost::Answer(SEARCHES)),
    tool("enterpriseWebSearch", Cost::Answer(SEARCHES)),
    tool("googleMaps", Cost::Use("google_maps_requests")),
    tool("retrieval", Cost::Use("retrieval_requests")),
];

/// What an entry of `tools` says.
#[derive(Debug, Default)]
struct Entry<'a> {
    kind: Option<&'a [u8]>,
    max_uses: Option<&'a [u8]>,
    is_local: bool,
}

impl<'a> Reader<'a> {
    /// Reads a list of tools.
    pub(super) fn tools(&mut self, path: &str, walk: &mut Walk<'a>) -> Result<(), Broken> {
        match walk.kind()? {
            Kind::List => {}
            kind => {
                if kind != Kind::Null {
                    self.wrong(path, "a list");
                }
                return walk.past();
            }
        }
        walk.entries(|walk| {
            self.tools += 1;
            match walk.kind()? {
                Kind::Object if self.dialect == DialectId::GenerateContent => {
                    walk.members(|name, walk| self.google_tool(name, walk))
                }
                Kind::Object => self.tool(walk),
                _ => walk.past(),
            }
        })
    }

    fn tool(&mut self, walk: &mut Walk<'a>) -> Result<(), Broken> {
        let mut entry = Entry::default();
        let (mut is_twice, mut has_environment) = (false, false);
        walk.members(|name, walk| {
            match name {
                b"type" => is_twice |= entry.kind.replace(walk.skip()?).is_some(),
                b"max_uses" => is_twice |= entry.max_uses.replace(walk.skip()?).is_some(),
                b"environment" => {
                    is_twice |= std::mem::replace(&mut has_environment, true);
                    entry.is_local = is_local(walk)?;
                }
                b"tools" if walk.kind()? == Kind::List => self.tools("tools.tools", walk)?,
                _ => walk.past()?,
            }
            Ok(())
        })?;
        if is_twice {
            self.fail(Failure::given_twice("tools"));
        }
        self.entry(&entry);
        Ok(())
    }

    fn entry(&mut self, entry: &Entry<'a>) {
        // Without a type it is a function.
        let kind = match entry.kind {
            None | Some(b"null") => return,
            Some(kind) if kind.starts_with(b"\"") => word(kind),
            Some(_) => return self.wrong("tools.type", "a string"),
        };
        let types = match self.dialect {
            DialectId::Messages => MESSAGES,
            _ => OPENAI,
        };
        let known = types.iter().find(|known| known.is(&kind));
        let charge = match known.map(|known| known.cost) {
            Some(Cost::Nothing | Cost::Inner) => return,
            Some(Cost::Environment(_)) if entry.is_local => return,
            Some(Cost::Tokens) => None,
            Some(Cost::Use(charge) | Cost::Answer(charge) | Cost::Environment(charge)) => {
                Some(charge.to_owned())
            }
            None => Some(kind.clone().into_owned()),
        };
        // Only messages has such a limit, and only tools that are known keep to it.
        let limit = entry.max_uses.filter(|raw| {
            *raw != b"null" && known.is_some() && self.dialect == DialectId::Messages
        });
        let uses = limit.and_then(|raw| self.whole("tools.max_uses", raw, 1..=MOST_USES));
        let bound = uses.map_or(Bound::Unlimited, |uses| Bound::Uses(uses.unsigned_abs()));
        self.add_tool(&kind, charge, bound);
    }

    fn google_tool(&mut self, name: &[u8], walk: &mut Walk<'a>) -> Result<(), Broken> {
        let known = GENERATE.iter().find(|known| is_alike(known.name, name));
        if walk.skip()? == b"null" {
            return Ok(());
        }
        let name = String::from_utf8_lossy(name);
        match known.map(|known| known.cost) {
            Some(Cost::Nothing) => {}
            Some(Cost::Answer(charge)) => {
                self.add_tool(&name, Some(charge.to_owned()), Bound::OneByAnswer);
            }
            Some(Cost::Use(charge)) => {
                self.add_tool(&name, Some(charge.to_owned()), Bound::Unlimited);
            }
            Some(_) => self.add_tool(&name, None, Bound::Unlimited),
            None => self.add_tool(&name, Some(name.clone().into_owned()), Bound::Unlimited),
        }
        Ok(())
    }
}

impl Type {
    /// Whether this is the type's name, or the name and a date.
    fn is(&self, kind: &str) -> bool {
        let rest = kind.strip_prefix(self.name);
        rest.is_some_and(|rest| {
            if self.name.ends_with('_') {
                !rest.is_empty()
                    && rest
                        .bytes()
                        .all(|byte| byte.is_ascii_digit() || byte == b'_')
            } else {
                rest.is_empty()
            }
        })
    }
}

/// Whether a shell's environment is the client's own.
fn is_local(walk: &mut Walk<'_>) -> Result<bool, Broken> {
    if walk.kind()? != Kind::Object {
        walk.past()?;
        return Ok(false);
    }
    let (mut kinds, mut is_local) = (0, false);
    walk.members(|name, walk| {
        if name != b"type" {
            return walk.past();
        }
        kinds += 1;
        is_local = word(walk.skip()?) == "local";
        Ok(())
    })?;
    Ok(is_local && kinds == 1)
}

/// Whether two names differ in lines and letter case alone.
fn is_alike(known: &str, name: &[u8]) -> bool {
    let plain = |byte: &u8| *byte != b'_';
    let name = name.iter().filter(|byte| plain(byte));
    let known = known.as_bytes().iter().filter(|byte| plain(byte));
    known
        .map(u8::to_ascii_lowercase)
        .eq(name.map(u8::to_ascii_lowercase))
}
