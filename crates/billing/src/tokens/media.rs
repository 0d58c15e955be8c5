//! What pictures, recordings, films and documents are worth in tokens. Vendors count by pixels,
//! seconds and pages; a request tells bytes, or only an address. So these are estimates.

use dialects::canonical::{Media, MediaClass, MediaSource};

/// A picture, about a megapixel.
pub const IMAGE: u64 = 1_400;
/// A picture that is to be looked at coarsely.
pub(super) const IMAGE_LOW: u64 = 85;
/// The most that a picture is taken for, in a bound.
pub(super) const IMAGE_MOST: u64 = 4_800;
/// A recording whose length is not known: about five minutes.
pub(super) const AUDIO_ELSEWHERE: u64 = 10_000;
/// A film whose length is not known: about five minutes.
const VIDEO_ELSEWHERE: u64 = 90_000;
/// A document whose length is not known: about ten pages.
const DOCUMENT_ELSEWHERE: u64 = 30_000;

/// 32 tokens a second, of 32,000 bytes (16-bit samples) or of 8,000 (compressed).
const SAMPLED_BYTES_A_TOKEN: u64 = 1_000;
const COMPRESSED_BYTES_A_TOKEN: u64 = 250;
/// 300 tokens a second, of about 250,000 bytes.
const VIDEO_BYTES_A_TOKEN: u64 = 830;
/// 3,000 tokens a page, of about 30,000 bytes.
const DOCUMENT_BYTES_A_TOKEN: u64 = 10;

/// What media is worth, apart from any text in it.
pub(super) fn estimate(media: &Media) -> u64 {
    if media.class == MediaClass::Image {
        return image(media.detail.as_deref());
    }
    let (bytes, mime) = match &media.source {
        MediaSource::Inline { mime, data } => (data.len() as u64 / 4 * 3, mime.as_str()),
        MediaSource::Url { .. } | MediaSource::File { .. } => return elsewhere(media.class),
        MediaSource::Text(_) | MediaSource::Parts(_) => return 0,
    };
    bytes.div_ceil(bytes_a_token(media.class, mime)).max(1)
}

fn image(detail: Option<&str>) -> u64 {
    match detail {
        Some("low") => IMAGE_LOW,
        _ => IMAGE,
    }
}

fn elsewhere(class: MediaClass) -> u64 {
    match class {
        MediaClass::Image => IMAGE,
        MediaClass::Audio => AUDIO_ELSEWHERE,
        MediaClass::Video => VIDEO_ELSEWHERE,
        MediaClass::Document => DOCUMENT_ELSEWHERE,
    }
}

fn bytes_a_token(class: MediaClass, mime: &str) -> u64 {
    let is_sampled = ["wav", "pcm", "l16"].iter().any(|kind| mime.contains(kind));
    match class {
        MediaClass::Audio if is_sampled => SAMPLED_BYTES_A_TOKEN,
        MediaClass::Audio => COMPRESSED_BYTES_A_TOKEN,
        MediaClass::Video => VIDEO_BYTES_A_TOKEN,
        MediaClass::Document if mime.starts_with("text/") => 4,
        MediaClass::Image | MediaClass::Document => DOCUMENT_BYTES_A_TOKEN,
    }
}
