//! What a client's event brings into a conversation: for an estimate of what a response has read, where
//! the upstream does not tell.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::said::Said;

/// What was brought.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Brought {
    /// Words.
    pub words: Said,
    /// Sound, in bytes of base64.
    pub sound: u64,
    /// Pictures.
    pub pictures: u64,
}

/// What a client asks a response for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// What it brings for this response alone.
    pub brought: Brought,
    /// Whether it stands beside the conversation: then it reads nothing of that, or leaves nothing in it.
    pub is_apart: bool,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    content: Option<Vec<Part<'a>>>,
    #[serde(borrow, default)]
    arguments: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    output: Option<Cow<'a, str>>,
}

#[derive(Deserialize)]
struct Part<'a> {
    #[serde(borrow, default)]
    text: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    audio: Option<&'a RawValue>,
    #[serde(borrow, default)]
    image_url: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Wish<'a> {
    #[serde(borrow, default)]
    instructions: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    input: Option<Vec<&'a RawValue>>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    conversation: Option<Cow<'a, str>>,
}

impl Brought {
    /// Reads an item. One that cannot be read brings nothing: the upstream will refuse it.
    pub(super) fn of_item(raw: &RawValue) -> Self {
        let mut brought = Self::default();
        brought.add_item(raw);
        brought
    }

    fn add_item(&mut self, raw: &RawValue) {
        let Ok(item) = serde_json::from_str::<Item<'_>>(raw.get()) else {
            return;
        };
        for words in [item.arguments, item.output].into_iter().flatten() {
            self.words.hear(&words);
        }
        for part in item.content.unwrap_or_default() {
            self.words.hear(&part.text.unwrap_or_default());
            let sound = part.audio.map_or(0, |audio| audio.get().len());
            self.sound = self.sound.saturating_add(sound as u64);
            self.pictures += u64::from(part.image_url.is_some());
        }
    }

    /// Adds what came later.
    pub fn add(&mut self, later: &Self) {
        self.words.add(&later.words);
        self.sound = self.sound.saturating_add(later.sound);
        self.pictures = self.pictures.saturating_add(later.pictures);
    }
}

impl Asked {
    /// Reads what a response is to be like; nothing where the client says nothing.
    pub(super) fn read(raw: Option<&RawValue>) -> Self {
        let read = raw.and_then(|raw| serde_json::from_str::<Wish<'_>>(raw.get()).ok());
        let Some(wish) = read else {
            return Self::default();
        };
        let mut brought = Brought::default();
        brought.words.hear(&wish.instructions.unwrap_or_default());
        brought.words.hear(wish.tools.map_or("", RawValue::get));
        for item in wish.input.iter().flatten() {
            brought.add_item(item);
        }
        Self {
            brought,
            is_apart: wish.input.is_some() || wish.conversation.as_deref() == Some("none"),
        }
    }
}
