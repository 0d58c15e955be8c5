//! Numbers in files, and their ratios.

/// Returns `value * times / by`, rounded up.
pub(super) fn scale(value: u64, times: u64, by: u64) -> u64 {
    if by == 0 {
        return 0;
    }
    let scaled = (u128::from(value) * u128::from(times)).div_ceil(u128::from(by));
    u64::try_from(scaled).unwrap_or(u64::MAX)
}

/// Returns a number of up to eight bytes, the highest first.
pub(super) fn number(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    Some(
        read.iter()
            .fold(0, |sum, byte| (sum << 8) | u64::from(*byte)),
    )
}

/// Returns a number of up to eight bytes, the lowest first.
pub(super) fn number_from_low(bytes: &[u8], at: usize, count: usize) -> Option<u64> {
    let read = bytes.get(at..at.checked_add(count)?)?;
    let digits = read.iter().rev();
    Some(digits.fold(0, |sum, byte| (sum << 8) | u64::from(*byte)))
}
