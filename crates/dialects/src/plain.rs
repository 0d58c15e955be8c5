//! Where the plain part of a JSON string ends: at a quote, a backslash or a control character. Most
//! of every body is inside of strings, so this is what reading one costs.

#![expect(
    clippy::inline_always,
    reason = "most strings are shorter than a call of a function is long"
)]

/// So many bytes are looked at in one go. What is plain for longer is worth setting out on a search.
const SHORT: usize = LANE;

/// The place of the first byte from here on that is not plain; the text's end where there is none.
#[inline(always)]
pub(crate) fn plain_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let Some(near) = rest.first_chunk() else {
        return from + ending_plain(rest);
    };
    match short_plain(near) {
        SHORT => from + many_plain(rest),
        count => from + count,
    }
}

/// The same, or a place before that: it gives up after a few bytes, and where the text is about to
/// end. Whatever stands before the place is plain.
#[inline(always)]
pub(crate) fn short_end(text: &[u8], from: usize) -> usize {
    match text[from..].first_chunk() {
        Some(short) => from + short_plain(short),
        None => from,
    }
}

/// How many bytes are plain of a few.
#[inline(always)]
fn short_plain(short: &[u8; SHORT]) -> usize {
    let mut at = 0;
    for word in short.as_chunks::<8>().0 {
        let marks = marks(word);
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    SHORT
}

/// The same as [`plain_end`] for a text that is not JSON yet: it may have line ends all over, so
/// that each search goes no further than it must.
pub(crate) fn text_end(text: &[u8], from: usize) -> usize {
    let rest = text.get(from..).unwrap_or_default();
    let at = plain_chunks::<FAR>(rest);
    let at = at + plain_chunks::<LANE>(&rest[at..]);
    let ending = &rest[at..];
    from + at + ending_plain(&ending[..ending.len().min(LANE)])
}

/// How many bytes of a text's first chunks are plain; whole chunks only.
#[inline(always)]
fn plain_chunks<const N: usize>(text: &[u8]) -> usize {
    let (chunks, _) = text.as_chunks::<N>();
    N * chunks.iter().take_while(|chunk| !has_mark(chunk)).count()
}

/// Whether one of them is not plain. Written so that it becomes vector instructions.
#[inline(always)]
fn has_mark<const N: usize>(lane: &[u8; N]) -> bool {
    let is_mark = |byte: u8| byte < 0x20 || byte == b'"' || byte == b'\\';
    lane.iter()
        .fold(0, |marks, byte| marks | u8::from(is_mark(*byte)))
        != 0
}

/// How many bytes are plain at a text's end.
#[inline(never)]
fn ending_plain(bytes: &[u8]) -> usize {
    let (words, _) = bytes.as_chunks::<8>();
    for (index, word) in words.iter().enumerate() {
        let marks = marks(word);
        if marks != 0 {
            return index * 8 + marks.trailing_zeros() as usize / 8;
        }
    }
    last_plain(bytes)
}

/// How many bytes are plain of those whose whole words are: what comes after these is looked at as one
/// more word, with what stands before it, or with spaces behind it where that is too little.
#[inline(always)]
fn last_plain(bytes: &[u8]) -> usize {
    if let Some(word) = bytes.last_chunk::<8>() {
        return bytes.len() - 8 + marks(word).trailing_zeros() as usize / 8;
    }
    let mut word = [b' '; 8];
    word[..bytes.len()].copy_from_slice(bytes);
    bytes.len().min(marks(&word).trailing_zeros() as usize / 8)
}

/// Marks the bytes of a word that are not plain in their highest bits. The lowest mark is exact; above
/// it there may be some too many.
#[inline(always)]
fn marks(word: &[u8; 8]) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let word = u64::from_le_bytes(*word);
    // Turning one bit puts the quote right behind the control characters.
    let control_or_quote = (word ^ (ONES * 0x02)).wrapping_sub(ONES * 0x21);
    let backslash = (word ^ (ONES * 0x5c)).wrapping_sub(ONES);
    (control_or_quote | backslash) & !word & (ONES << 7)
}

/// How many bytes are plain, looked at one by one.
#[cold]
fn few_plain(bytes: &[u8]) -> usize {
    let is_plain = |byte: &&u8| **byte >= 0x20 && **byte != b'"' && **byte != b'\\';
    bytes.iter().take_while(is_plain).count()
}

/// How many bytes are plain of what is known to begin with a lane of such.
#[inline(never)]
fn many_plain(bytes: &[u8]) -> usize {
    let end = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
    let bytes = &bytes[..end];
    if has_control(bytes) {
        return few_plain(bytes);
    }
    end
}

const LANE: usize = 32;
/// Summing up what was seen takes as long as looking at a lane, so that long texts are looked at in
/// larger pieces.
const FAR: usize = 4 * LANE;
const BLOCK: usize = 512;

/// Whether a control character is among them, which are a lane at least.
fn has_control(bytes: &[u8]) -> bool {
    let (blocks, rest) = bytes.as_chunks::<BLOCK>();
    let (lanes, _) = rest.as_chunks::<LANE>();
    // What is no whole lane is in the last one.
    let last = bytes.last_chunk::<LANE>();
    blocks.iter().any(|block| lowest(block) < 0x20)
        || lowest(lanes.as_flattened()) < 0x20
        || last.is_some_and(|lane| lowest(lane) < 0x20)
}

/// Written so that it becomes vector instructions.
#[inline(always)]
fn lowest(bytes: &[u8]) -> u8 {
    bytes.iter().fold(u8::MAX, |lowest, byte| lowest.min(*byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_found_wherever_it_stands() {
        for length in 0..300 {
            for special in [b'"', b'\\', b'\n', 0x1f] {
                let mut text = vec![b'a'; length];
                text.extend_from_slice("é\u{7f} !#[]".as_bytes());
                let end = text.len();
                text.push(special);
                text.extend_from_slice(&[b'b'; 80]);
                assert_eq!(plain_end(&text, 0), end);
                assert_eq!(text_end(&text, 0), end);
                text[end + 40] = b'"';
                assert_eq!(plain_end(&text, 0), end);
                assert_eq!(text_end(&text, 0), end);
            }
            assert_eq!(plain_end(&vec![0xff; length], 0), length);
            assert_eq!(text_end(&vec![0xff; length], 0), length);
        }
    }

    #[test]
    fn every_byte_is_judged_alike_at_every_length() {
        for byte in 0..=u8::MAX {
            let is_plain = byte >= 0x20 && byte != b'"' && byte != b'\\';
            for length in [0, 7, 8, 31, 32, 40, 200] {
                let mut text = vec![b'a'; length];
                text.extend_from_slice(&[byte, b'b', b'"', b'c', b'd', b'e', b'f', b'g', b'h']);
                let end = length + if is_plain { 2 } else { 0 };
                assert_eq!(plain_end(&text, 0), end, "{byte} after {length}");
                assert_eq!(text_end(&text, 0), end, "{byte} after {length}");
            }
        }
    }

    #[test]
    fn a_short_look_ends_there_or_before() {
        for special in [b'"', b'\\', 0x00, 0x1f] {
            for length in 0..80 {
                let mut text = vec![b'a'; length];
                text.push(special);
                text.extend_from_slice(&[b'b'; SHORT]);
                assert_eq!(short_end(&text, 0), length.min(SHORT));
                text.truncate(length + 1);
                assert!(short_end(&text, 0) <= length);
            }
        }
    }
}
