//! What the demo model draws: a pattern of tiles, symmetric, with colours and tiles that follow from
//! the prompt. An unfinished drawing has its upper part alone.

use dialects::ids;

use super::png::{Picture, encode};

/// Tiles in a row; half of them mirror the other half.
const TILES: usize = 8;

/// Draws a picture of this size; `done` of `of` parts are finished.
pub(super) fn draw(seed: &str, width: usize, height: usize, done: usize, of: usize) -> Vec<u8> {
    let digits = ids::hash(&[seed], 64);
    let digit = |place: usize| {
        let byte = digits.as_bytes()[place % digits.len()];
        char::from(byte).to_digit(16).unwrap_or_default() as usize
    };
    let tile = |row: usize, column: usize| {
        let column = column.min(TILES - 1 - column);
        digit(row * TILES / 2 + column) % 4
    };
    let finished = height * done / of.max(1);
    let mut pixels = Vec::with_capacity(width * height);
    for y in 0..height {
        for x in 0..width {
            let index = tile(y * TILES / height, x * TILES / width);
            let index = if y < finished { index + 1 } else { 0 };
            pixels.push(u8::try_from(index).unwrap_or_default());
        }
    }
    let colour = |place: usize| {
        let part = |offset: usize| u8::try_from(64 + digit(place + offset) * 12).unwrap_or(255);
        [part(40), part(47), part(53)]
    };
    let mut palette = vec![[250, 250, 250]];
    palette.extend((0..4).map(|index| colour(index * 3)));
    encode(&Picture {
        width,
        palette,
        pixels,
    })
}
