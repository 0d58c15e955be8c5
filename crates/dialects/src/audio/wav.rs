//! The header of a WAV file. Audio is never encoded or decoded here.

/// 16-bit mono samples as a WAV file.
pub fn wav_of_pcm(samples: &[u8], rate: u32) -> Vec<u8> {
    let length = u32::try_from(samples.len()).unwrap_or(u32::MAX - 36);
    let mut out = Vec::with_capacity(samples.len() + 44);
    out.extend_from_slice(b"RIFF");
    out.extend_from_slice(&length.saturating_add(36).to_le_bytes());
    out.extend_from_slice(b"WAVEfmt ");
    out.extend_from_slice(&16_u32.to_le_bytes());
    // Plain samples, one channel.
    out.extend_from_slice(&1_u16.to_le_bytes());
    out.extend_from_slice(&1_u16.to_le_bytes());
    out.extend_from_slice(&rate.to_le_bytes());
    out.extend_from_slice(&rate.saturating_mul(2).to_le_bytes());
    out.extend_from_slice(&2_u16.to_le_bytes());
    out.extend_from_slice(&16_u16.to_le_bytes());
    out.extend_from_slice(b"data");
    out.extend_from_slice(&length.to_le_bytes());
    out.extend_from_slice(samples);
    out
}

/// The samples of a WAV file. A length in the header beyond the file's end (streamed files have such)
/// means all that follows.
pub fn pcm_of_wav(file: &[u8]) -> Option<&[u8]> {
    let mut rest = file
        .strip_prefix(b"RIFF")?
        .get(4..)?
        .strip_prefix(b"WAVE")?;
    loop {
        let (name, after) = rest.split_first_chunk::<4>()?;
        let (length, body) = after.split_first_chunk::<4>()?;
        let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
        if name == b"data" {
            return Some(body.get(..length).unwrap_or(body));
        }
        // Chunks begin at even places.
        rest = body.get(length.checked_add(length % 2)?..)?;
    }
}
