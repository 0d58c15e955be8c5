//! Opus: each packet says how long it sounds.

use super::numbers::number;

/// Longest packet.
const MAX_MICROSECONDS: u64 = 120_000;

/// Returns the duration of a packet.
pub(super) fn microseconds(packet: &[u8]) -> u64 {
    let Some(first) = number(packet, 0, 1) else {
        return 0;
    };
    let frame = match first >> 3 {
        config @ 0..=11 => [10_000, 20_000, 40_000, 60_000][(config % 4) as usize],
        config @ 12..=15 => [10_000, 20_000][(config % 2) as usize],
        config => [2_500, 5_000, 10_000, 20_000][(config % 4) as usize],
    };
    let frames = match first & 3 {
        0 => 1,
        1 | 2 => 2,
        _ => number(packet, 1, 1).unwrap_or(0) & 0x3f,
    };
    (frame * frames).min(MAX_MICROSECONDS)
}
