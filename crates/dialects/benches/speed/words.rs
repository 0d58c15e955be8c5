//! The text that bodies and streams are made of: prose with some code, as conversations with models
//! are, so that line ends and quotes are escaped as often as there.

const PROSE: &str = "The harbour office keeps two ledgers, one for ships that arrive and one for \
    ships that leave. Whoever signs the first must not sign the second, which is why the clerk and \
    the pilot never take their lunch together. In winter the light on the mole burns until ten.\n";

const CODE: &str = "```rust\nfn tide(hour: u32) -> &'static str {\n    match hour % 12 {\n        \
    0..=5 => \"rising\",\n        _ => \"falling\",\n    }\n}\n```\n";

/// A text of this many bytes, or one more or less; `salt` makes texts differ.
pub fn text(bytes: usize, salt: usize) -> String {
    let mut text = format!("Entry {salt}: größer als gedacht.\n");
    let mut turn = salt;
    while text.len() < bytes {
        text.push_str(if turn.is_multiple_of(3) { CODE } else { PROSE });
        turn += 1;
    }
    text.truncate(text.floor_char_boundary(bytes));
    text
}

/// The pieces in which a vendor streams a text: mostly a word, now and then a line end, a quote or a
/// letter beyond ASCII.
pub fn pieces(count: usize) -> impl Iterator<Item = &'static str> {
    const PIECES: [&str; 16] = [
        "The",
        " harbour",
        " office",
        " keeps",
        " two",
        " ledgers",
        ",",
        " one",
        " for",
        " ships",
        " that",
        " größer",
        " arrive",
        ".\n\n",
        " \"Whoever",
        " signs",
    ];
    PIECES.into_iter().cycle().take(count)
}
