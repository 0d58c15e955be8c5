//! The tokens of SQL in dumps: names, texts, numbers and signs, with comments passed over.

use std::io::BufRead;

use super::Dialect;
use super::bytes::Bytes;
use crate::imports::error::ImportError;
use crate::imports::table::LONGEST_CELL;

/// Longest word, name or number.
const LONGEST_WORD: usize = 256;

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A keyword or an unquoted name.
    Word(String),
    /// A name in quotes.
    Name(String),
    /// A text in quotes.
    Text(Vec<u8>),
    /// A number as it is written.
    Number(String),
    /// Anything else.
    Sign(u8),
}

impl Token {
    pub(super) fn is_word(&self, word: &str) -> bool {
        matches!(self, Self::Word(own) if own.eq_ignore_ascii_case(word))
    }

    pub(super) fn is_sign(&self, sign: u8) -> bool {
        *self == Self::Sign(sign)
    }
}

/// Reads tokens.
pub(super) struct Tokens<R> {
    pub(super) bytes: Bytes<R>,
    pub(super) dialect: Dialect,
}

impl<R: BufRead> Tokens<R> {
    /// The next token; none at the end. Where `keep` is false, texts come empty.
    pub(super) fn next(&mut self, keep: bool) -> Result<Option<Token>, ImportError> {
        loop {
            let Some(byte) = self.bytes.take()? else {
                return Ok(None);
            };
            let after = self.bytes.peek()?;
            let token = match byte {
                byte if byte.is_ascii_whitespace() => continue,
                b'-' if after == Some(b'-') => {
                    self.bytes.line(0)?;
                    continue;
                }
                b'#' if self.dialect == Dialect::MySql => {
                    self.bytes.line(0)?;
                    continue;
                }
                b'/' if after == Some(b'*') => {
                    self.comment()?;
                    continue;
                }
                b'\'' => Token::Text(self.text(b'\'', self.dialect == Dialect::MySql, keep)?),
                b'`' => Token::Name(self.name(b'`')?),
                b'"' if self.dialect == Dialect::Postgres => Token::Name(self.name(b'"')?),
                b'"' => Token::Text(self.text(b'"', true, keep)?),
                b'0'..=b'9' => self.number(byte)?,
                b'-' | b'.' if after.is_some_and(|next| next.is_ascii_digit()) => {
                    self.number(byte)?
                }
                byte if is_word(byte) => self.word(byte, keep)?,
                sign => Token::Sign(sign),
            };
            return Ok(Some(token));
        }
    }

    /// The next token of a statement that is not over.
    pub(super) fn must(&mut self, keep: bool) -> Result<Token, ImportError> {
        let token = self.next(keep)?;
        token.ok_or_else(|| {
            self.bytes
                .wrong("it ends in the middle of a statement: the dump was cut")
        })
    }

    fn comment(&mut self) -> Result<(), ImportError> {
        self.bytes.must()?;
        let mut before = 0;
        loop {
            let byte = self.bytes.must()?;
            if before == b'*' && byte == b'/' {
                return Ok(());
            }
            before = byte;
        }
    }

    fn word(&mut self, first: u8, keep: bool) -> Result<Token, ImportError> {
        let mut word = vec![first];
        while let Some(byte) = self.bytes.peek()? {
            if byte == b'\'' {
                if let Some(token) = self.marked_text(&word, keep)? {
                    return Ok(token);
                }
                break;
            }
            if !is_word(byte) {
                break;
            }
            self.bytes.take()?;
            self.push(&mut word, byte)?;
        }
        Ok(Token::Word(String::from_utf8_lossy(&word).into_owned()))
    }

    /// A text with a letter before it: escapes, hexadecimal digits or bits.
    fn marked_text(&mut self, mark: &[u8], keep: bool) -> Result<Option<Token>, ImportError> {
        let kind = mark.to_ascii_lowercase();
        if !matches!(kind.as_slice(), b"e" | b"x" | b"b" | b"n") {
            return Ok(None);
        }
        self.bytes.take()?;
        let has_escapes = self.dialect == Dialect::MySql || kind == b"e";
        let text = self.text(b'\'', has_escapes, keep)?;
        Ok(Some(match kind.as_slice() {
            b"x" => Token::Text(self.unhexed(&text)?),
            b"b" => Token::Number(self.bits_as_number(&text)?),
            _ => Token::Text(text),
        }))
    }

    fn text(&mut self, quote: u8, has_escapes: bool, keep: bool) -> Result<Vec<u8>, ImportError> {
        let mut text = Vec::new();
        loop {
            let mut byte = self.bytes.must()?;
            if byte == quote {
                if self.bytes.peek()? != Some(quote) {
                    return Ok(text);
                }
                self.bytes.take()?;
            } else if byte == b'\\' && has_escapes {
                byte = unescaped(self.bytes.must()?);
            }
            if keep {
                if text.len() >= LONGEST_CELL {
                    let what = format!("a text is longer than {LONGEST_CELL} bytes");
                    return Err(self.bytes.wrong(&what));
                }
                text.push(byte);
            }
        }
    }

    fn name(&mut self, quote: u8) -> Result<String, ImportError> {
        let mut name = Vec::new();
        loop {
            let byte = self.bytes.must()?;
            if byte == quote {
                if self.bytes.peek()? != Some(quote) {
                    return Ok(String::from_utf8_lossy(&name).into_owned());
                }
                self.bytes.take()?;
            }
            self.push(&mut name, byte)?;
        }
    }

    fn number(&mut self, first: u8) -> Result<Token, ImportError> {
        let mut number = vec![first];
        while let Some(byte) = self.bytes.peek()? {
            let is_exponent = matches!(number.last(), Some(b'e' | b'E'));
            let goes_on = byte.is_ascii_alphanumeric()
                || byte == b'.'
                || (is_exponent && matches!(byte, b'+' | b'-'));
            if !goes_on {
                break;
            }
            self.bytes.take()?;
            // Hexadecimal texts are as long as what they stand for.
            if number.len() > 2 * LONGEST_CELL {
                return Err(self.bytes.wrong("a number is too long"));
            }
            number.push(byte);
        }
        if let Some(digits) = number.strip_prefix(b"0x") {
            let digits = digits.to_vec();
            return Ok(Token::Text(self.unhexed(&digits)?));
        }
        Ok(Token::Number(String::from_utf8_lossy(&number).into_owned()))
    }

    fn unhexed(&self, digits: &[u8]) -> Result<Vec<u8>, ImportError> {
        let value = |digit: u8| char::from(digit).to_digit(16);
        let pairs = digits.chunks_exact(2);
        let is_even = pairs.remainder().is_empty();
        let bytes: Option<Vec<u8>> = pairs
            .map(|pair| u8::try_from(value(pair[0])? * 16 + value(pair[1])?).ok())
            .collect();
        bytes
            .filter(|_| is_even)
            .ok_or_else(|| self.bytes.wrong("hexadecimal digits cannot be read"))
    }

    fn bits_as_number(&self, digits: &[u8]) -> Result<String, ImportError> {
        let text = std::str::from_utf8(digits).unwrap_or_default();
        match u64::from_str_radix(text, 2) {
            Ok(number) => Ok(number.to_string()),
            Err(_) => Err(self.bytes.wrong("bits cannot be read")),
        }
    }

    fn push(&self, word: &mut Vec<u8>, byte: u8) -> Result<(), ImportError> {
        if word.len() >= LONGEST_WORD {
            return Err(self.bytes.wrong("a name is too long: this is no SQL"));
        }
        word.push(byte);
        Ok(())
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@') || byte >= 0x80
}

/// What a letter after a backslash stands for.
fn unescaped(letter: u8) -> u8 {
    match letter {
        b'0' => 0,
        b'b' => 8,
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'Z' => 26,
        other => other,
    }
}
