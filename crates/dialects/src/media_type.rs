//! Media types: their usual spelling, what they are, and what names of files and formats promise.
//! Says nothing about which of them a model takes.

use crate::canonical::MediaClass;

/// A media type in lower case, without parameters, the one usual misspelling set right.
pub(crate) fn plain(mime: &str) -> String {
    let plain = mime.split(';').next().unwrap_or(mime).trim();
    let lower = plain.to_ascii_lowercase();
    match lower.as_str() {
        "image/jpg" => "image/jpeg".to_owned(),
        _ => lower,
    }
}

/// What a media type is.
pub(crate) fn class_of(mime: &str) -> MediaClass {
    let class = mime.split('/').next().unwrap_or_default();
    match class.to_ascii_lowercase().as_str() {
        "image" => MediaClass::Image,
        "audio" => MediaClass::Audio,
        "video" => MediaClass::Video,
        _ => MediaClass::Document,
    }
}

/// Whether files of this type are words that can be read as they are.
pub(crate) fn is_text(mime: &str) -> bool {
    let mime = plain(mime);
    mime.starts_with("text/")
        || matches!(
            mime.as_str(),
            "application/json" | "application/xml" | "application/yaml" | "application/x-yaml"
        )
}

/// The media type that the ending of a file's name or address promises.
pub(crate) fn of_name(name: &str) -> Option<&'static str> {
    let path = name.split(['?', '#']).next().unwrap_or(name);
    let (_, ending) = path.rsplit_once('.')?;
    Some(match ending.to_ascii_lowercase().as_str() {
        "pdf" => "application/pdf",
        "txt" | "md" | "log" => "text/plain",
        "csv" => "text/csv",
        "html" | "htm" => "text/html",
        "json" => "application/json",
        "xml" => "application/xml",
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "heic" => "image/heic",
        "heif" => "image/heif",
        "wav" => "audio/wav",
        "mp3" => "audio/mp3",
        "flac" => "audio/flac",
        "ogg" | "opus" => "audio/ogg",
        "aac" => "audio/aac",
        "m4a" => "audio/mp4",
        "mp4" => "video/mp4",
        "mov" => "video/quicktime",
        "webm" => "video/webm",
        "mpeg" | "mpg" => "video/mpeg",
        "docx" => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "xlsx" => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        _ => return None,
    })
}

/// The media type of an audio format's short name.
pub(crate) fn of_audio_format(format: &str) -> String {
    format!("audio/{}", format.to_ascii_lowercase())
}

/// The short name of an audio media type.
pub(crate) fn audio_format(mime: &str) -> &str {
    match mime {
        "audio/x-wav" | "audio/wave" | "audio/vnd.wave" => "wav",
        "audio/mpeg" | "audio/mpeg3" => "mp3",
        "audio/l16" | "audio/pcm" => "pcm16",
        _ => mime.strip_prefix("audio/").unwrap_or(mime),
    }
}

/// The media type of base64 audio whose sender did not say it, by its first bytes.
pub(crate) fn sniff_audio(data: &str) -> &'static str {
    const STARTS: [(&str, &str); 5] = [
        ("UklGR", "audio/wav"),
        ("SUQz", "audio/mp3"),
        ("//", "audio/mp3"),
        ("T2dn", "audio/ogg"),
        ("ZkxhQ", "audio/flac"),
    ];
    STARTS
        .into_iter()
        .find(|(start, _)| data.starts_with(start))
        .map_or("audio/pcm", |(_, mime)| mime)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_told_by_name_format_and_content() {
        assert_eq!(of_name("a/b/clip.MP4?x=1"), Some("video/mp4"));
        assert_eq!(of_name("nothing"), None);
        assert_eq!(audio_format(&of_audio_format("MP3")), "mp3");
        assert_eq!(audio_format("audio/mpeg"), "mp3");
        assert_eq!(sniff_audio("UklGRiQ"), "audio/wav");
    }

    #[test]
    fn spelling_does_not_change_what_a_type_is() {
        assert_eq!(plain("Image/JPG; q=1"), "image/jpeg");
        assert_eq!(class_of("IMAGE/png"), MediaClass::Image);
        assert_eq!(class_of("application/pdf"), MediaClass::Document);
        assert!(is_text("Application/JSON; charset=utf-8"));
        assert!(!is_text("application/pdf"));
    }
}
