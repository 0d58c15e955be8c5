//! Tokens of plain text.

use std::sync::OnceLock;

use tiktoken::CoreBpe;

/// Texts beyond this are counted outside the async threads: counting them takes longer than a
/// tenth of a millisecond.
const OFF_THREAD_BYTES: usize = 16 * 1024;

/// A longer text is counted in pieces: a run of one letter would cost time that grows faster than
/// the run.
const PIECE_BYTES: usize = 8 * 1024;
/// What English text has, roughly.
const BYTES_A_TOKEN: u64 = 4;

static VOCABULARY: OnceLock<&CoreBpe> = OnceLock::new();

/// The most tokens that a text can be: no token is less than a byte.
pub fn bound(text: &str) -> u64 {
    text.len() as u64
}

/// What a text of this length usually is, for text that was not kept.
pub fn approximate(bytes: u64) -> u64 {
    bytes.div_ceil(BYTES_A_TOKEN)
}

/// Counts a text. The first count loads the vocabulary, see [`load`].
pub fn count(text: &str) -> u64 {
    let vocabulary = vocabulary();
    let mut rest = text;
    let mut tokens = 0;
    while !rest.is_empty() {
        let (piece, after) = rest.split_at(piece_end(rest));
        tokens += vocabulary.count(piece) as u64;
        rest = after;
    }
    tokens
}

/// Whether a count of this much text belongs outside the async threads: it is long, or the
/// vocabulary is not loaded yet.
pub fn must_leave_thread(bytes: usize) -> bool {
    bytes > OFF_THREAD_BYTES || VOCABULARY.get().is_none()
}

/// Loads the vocabulary: some tens of milliseconds and megabytes, once. A gateway that never has
/// to count never loads it.
pub fn load() {
    vocabulary();
}

fn vocabulary() -> &'static CoreBpe {
    VOCABULARY.get_or_init(|| {
        tiktoken::get_encoding("o200k_base").expect("the vocabulary is a feature of this build")
    })
}

/// Where the first piece ends: the whole text, or before the last single space that leaves the
/// piece short enough. No token goes over such a place, so the sum stays exact; only a text
/// without spaces is cut where it must be.
fn piece_end(text: &str) -> usize {
    if text.len() <= PIECE_BYTES {
        return text.len();
    }
    let bytes = text.as_bytes();
    let is_cut = |at: &usize| {
        let at = *at;
        bytes[at] == b' ' && bytes[at - 1].is_ascii_graphic() && bytes[at + 1].is_ascii_graphic()
    };
    if let Some(at) = (PIECE_BYTES / 2..PIECE_BYTES).rev().find(is_cut) {
        return at;
    }
    text.floor_char_boundary(PIECE_BYTES)
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn counts_agree_with_the_published_tokenizer() {
        // Known from the reference implementation of the encoding.
        assert_eq!(count(""), 0);
        assert_eq!(count("hello world"), 2);
        assert_eq!(count("The quick brown fox jumps over the lazy dog."), 10);
        assert_eq!(count("antidisestablishmentarianism"), 6);
        assert_eq!(count("2 + 2 = 4"), 7);
        assert_eq!(count("お誕生日おめでとう"), 8);
    }

    #[test]
    fn a_text_cut_at_spaces_counts_the_same() {
        let words = "It was the best of times, it was the worst of times; 1859 was {odd}. ";
        let text = words.repeat(1_000);
        assert!(text.len() > 8 * PIECE_BYTES);
        assert_eq!(count(&text), vocabulary().count(&text) as u64);
    }

    #[test]
    fn no_count_is_above_the_bound() {
        for text in [
            "a",
            "\u{0}\u{1}",
            "🦀🦀🦀",
            "\n\n\n   x",
            "ﷺ",
            "zq".repeat(9_000).as_str(),
        ] {
            assert!(count(text) <= bound(text), "{text}");
        }
    }

    #[test]
    fn a_long_run_of_one_letter_takes_no_long_time() {
        load();
        let start = Instant::now();
        let text = "a".repeat(400_000);
        assert!((20_000..=200_000).contains(&count(&text)));
        assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
    }

    #[test]
    fn a_cut_never_falls_into_a_character() {
        let text = "語".repeat(PIECE_BYTES);
        assert!(count(&text) > 0);
    }
}
