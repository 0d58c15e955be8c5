//! A form's own bytes again: the same parts under the same boundary, with another model's name.

use std::borrow::Cow;

use bytes::Bytes;
use dialects::audio::part_name;

use crate::multipart::PartHead;

/// The name under which a part goes to the upstream. Lists get their brackets, numbered files lose
/// their numbers.
pub(super) fn upstream_name(name: &str) -> Cow<'_, str> {
    let is_numbered = name
        .strip_prefix("image[")
        .and_then(|rest| rest.strip_suffix(']'))
        .is_some_and(|number| number.bytes().all(|byte| byte.is_ascii_digit()));
    if is_numbered {
        return Cow::Borrowed("image[]");
    }
    part_name(name)
}

/// The boundary and head that a part begins with.
pub(super) fn opening(boundary: &str, head: &PartHead) -> Vec<u8> {
    let mut out = format!("--{boundary}\r\n").into_bytes();
    let head = PartHead {
        name: upstream_name(&head.name).into_owned(),
        ..head.clone()
    };
    head.write(&mut out);
    out
}

/// A whole part that is text.
pub(super) fn text_part(boundary: &str, name: &str, value: &[u8]) -> Bytes {
    let mut out = opening(boundary, &PartHead::text(name));
    out.extend_from_slice(value);
    out.extend_from_slice(b"\r\n");
    out.into()
}

/// The form's end.
pub(super) fn closing(boundary: &str) -> Bytes {
    format!("--{boundary}--\r\n").into()
}

/// Whether a part is a file, by what it says or by its name.
pub(super) fn is_file(head: &PartHead) -> bool {
    head.is_file() || head.name == "file" || head.name == "mask" || head.name.starts_with("image")
}

/// A head whose media type is told; vendors refuse images that are just bytes.
pub(super) fn with_media_type(mut head: PartHead, start: &[u8]) -> PartHead {
    let is_vague = head
        .content_type
        .as_deref()
        .is_none_or(|kind| kind.eq_ignore_ascii_case("application/octet-stream"));
    if is_vague && let Some(kind) = media_type(start) {
        head.content_type = Some(kind.to_owned());
    }
    head
}

/// What a file is, by its first bytes.
pub fn media_type(start: &[u8]) -> Option<&'static str> {
    match start {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some("image/webp"),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'A',
            b'V',
            b'E',
            ..,
        ] => Some("audio/wav"),
        [b'f', b'L', b'a', b'C', ..] => Some("audio/flac"),
        [b'O', b'g', b'g', b'S', ..] => Some("audio/ogg"),
        [b'I', b'D', b'3', ..] | [0xff, 0xfb | 0xf3 | 0xf2, ..] => Some("audio/mpeg"),
        [_, _, _, _, b'f', b't', b'y', b'p', ..] => Some("audio/mp4"),
        [0x1a, 0x45, 0xdf, 0xa3, ..] => Some("audio/webm"),
        _ => None,
    }
}
