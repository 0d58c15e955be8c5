//! Which of the formats that an upstream offers is used: the client's own where it is among them,
//! because nothing is lost then, else the one that the upstream does best.

use dialects::{DialectId, UpstreamDialect};
use providers::Format;

/// What an upstream is spoken to in.
#[derive(Clone, Copy)]
pub struct Spoken {
    /// The format.
    pub format: Format,
    /// Who reads and writes it.
    pub dialect: &'static dyn UpstreamDialect,
}

impl Spoken {
    /// Whether clients of this dialect need no conversion.
    pub fn is_native_to(&self, client: DialectId) -> bool {
        self.dialect.native() == Some(client)
    }
}

/// The format for a client of this dialect.
pub fn choose(client: DialectId, offered: &[Format]) -> Option<Spoken> {
    let own = Format::Text(client);
    let legacy = Format::Text(DialectId::TextCompletions);
    let format = if offered.contains(&own) {
        own
    } else {
        // Legacy completions are spoken to their own clients alone.
        *offered.iter().find(|format| **format != legacy)?
    };
    Some(Spoken {
        format,
        dialect: format.text()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clients_own_dialect_comes_first() {
        let chat = Format::Text(DialectId::ChatCompletions);
        let messages = Format::Text(DialectId::Messages);
        let legacy = Format::Text(DialectId::TextCompletions);
        let chosen = |client, offered: &[Format]| choose(client, offered).map(|s| s.format);
        assert_eq!(
            chosen(DialectId::Messages, &[chat, messages]),
            Some(messages)
        );
        assert_eq!(chosen(DialectId::Responses, &[chat, messages]), Some(chat));
        assert_eq!(
            chosen(DialectId::TextCompletions, &[chat, legacy]),
            Some(legacy)
        );
        assert_eq!(chosen(DialectId::ChatCompletions, &[legacy]), None);
    }
}
