//! Images, documents and sounds: what the target takes where, and what has to be fetched first.

use super::{Dropped, Target, part_names};
use crate::canonical::{
    ContentShape, Failure, Hosted, Media, MediaClass, MediaSource, Part, PartKind, Request, Role,
    ToolResult, Turn,
};
use crate::{DialectId, data_url, media_type};

/// Something that was fetched for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fetched {
    /// Its media type.
    pub mime: String,
    /// Standard base64.
    pub data: String,
}

/// Something to be fetched for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Address {
    /// Where it is.
    pub url: String,
    /// How many parts of the request show it.
    pub uses: usize,
}

/// So many addresses may be fetched for a request. One more is looked for, which tells that there are too many.
pub const MOST_ADDRESSES: usize = 16;

/// Addresses that the target's vendor does not fetch itself. The caller fetches them (or not: then
/// the vendor decides) and hands the content to [`supply`] before the request is prepared.
pub fn urls_to_fetch(request: &Request, target: DialectId) -> Vec<Address> {
    urls_where(request, |class| {
        matches!(
            (target, class),
            (
                DialectId::GenerateContent,
                MediaClass::Image | MediaClass::Document
            ) | (
                DialectId::ChatCompletions,
                MediaClass::Document | MediaClass::Audio
            ) | (DialectId::Responses, MediaClass::Audio)
        )
    })
}

/// The same for an upstream that fetches nothing itself.
pub fn all_urls(request: &Request) -> Vec<Address> {
    urls_where(request, |_| true)
}

fn urls_where(request: &Request, fetches: impl Fn(MediaClass) -> bool) -> Vec<Address> {
    let mut found: Vec<Address> = Vec::new();
    for media in request
        .turns
        .iter()
        .flat_map(|turn| &turn.parts)
        .flat_map(media_of)
    {
        let MediaSource::Url { url, .. } = &media.source else {
            continue;
        };
        if !fetches(media.class) || !url.starts_with("http") {
            continue;
        }
        if let Some(known) = found.iter_mut().find(|known| known.url == *url) {
            known.uses += 1;
        } else if found.len() <= MOST_ADDRESSES {
            let (url, uses) = (url.clone(), 1);
            found.push(Address { url, uses });
        }
    }
    found
}

fn media_of(part: &Part) -> Vec<&Media> {
    match &part.kind {
        PartKind::Media(media) => vec![media],
        PartKind::ToolResult(result) => result.parts.iter().flat_map(media_of).collect(),
        _ => Vec::new(),
    }
}

/// Puts fetched content in the place of its address.
pub fn supply(request: &mut Request, url: &str, fetched: &Fetched) {
    fn fill(part: &mut Part, url: &str, fetched: &Fetched) {
        match &mut part.kind {
            PartKind::Media(media) => {
                if matches!(&media.source, MediaSource::Url { url: here, .. } if here == url) {
                    let Fetched { mime, data } = fetched.clone();
                    media.source = MediaSource::Inline { mime, data };
                }
            }
            PartKind::ToolResult(result) => {
                result
                    .parts
                    .iter_mut()
                    .for_each(|part| fill(part, url, fetched));
            }
            _ => {}
        }
    }
    let parts = request.turns.iter_mut().flat_map(|turn| &mut turn.parts);
    parts.for_each(|part| fill(part, url, fetched));
}

/// Puts every part into a form and a place that the target takes.
pub(super) fn place(
    request: &mut Request,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<(), Failure> {
    check_types(request, target)?;
    move_media_out_of_system(request);
    for turn in &mut request.turns {
        // Words have their place, and most turns are nothing else.
        if turn.parts.iter().all(|part| part.as_text().is_some()) {
            continue;
        }
        turn.parts = place_parts(std::mem::take(&mut turn.parts), target, dropped)?;
        move_media_out_of_results(turn, target);
    }
    Ok(())
}

/// System prompts are text everywhere; pictures in them go to the first user turn.
fn move_media_out_of_system(request: &mut Request) {
    let is_media = |part: &mut Part| matches!(part.kind, PartKind::Media(_));
    let media: Vec<Part> = request.system.extract_if(.., is_media).collect();
    if !media.is_empty() {
        request.turns.insert(0, Turn::new(Role::User, media));
    }
}

fn place_parts(
    parts: Vec<Part>,
    target: &Target,
    dropped: &mut Dropped,
) -> Result<Vec<Part>, Failure> {
    let mut placed = Vec::with_capacity(parts.len());
    for part in parts {
        let Part {
            kind,
            cache,
            signature,
            extra,
        } = part;
        let part = |kind| Part {
            kind,
            cache,
            signature,
            extra,
        };
        match kind {
            PartKind::Media(mut media) => {
                placed.extend(words_about(&mut media, target));
                match place_media(media, target)? {
                    Placed::Media(media) => placed.push(part(PartKind::Media(*media))),
                    Placed::Parts(parts) => placed.extend(parts),
                }
            }
            PartKind::Hosted(hosted) => match place_hosted(&hosted, target) {
                Some(kind) => placed.push(Part::new(kind)),
                None if is_taken_over(&hosted) => {}
                None => dropped.note(hosted_name(&hosted))?,
            },
            PartKind::ToolResult(mut result) => {
                result.parts = place_parts(result.parts, target, dropped)?;
                placed.push(part(PartKind::ToolResult(result)));
            }
            PartKind::Refusal(text) if target.dialect != DialectId::ChatCompletions => {
                let kind = match target.dialect {
                    DialectId::Responses => PartKind::Refusal(text),
                    _ => PartKind::Text {
                        text,
                        annotations: Vec::new(),
                    },
                };
                placed.push(Part::new(kind));
            }
            kind => placed.push(part(kind)),
        }
    }
    Ok(placed)
}

/// What the client says about a document goes before it, where documents have no place for that.
fn words_about(media: &mut Media, target: &Target) -> Option<Part> {
    if target.dialect == DialectId::Messages || media.class != MediaClass::Document {
        return None;
    }
    let title = media.title.as_deref().or(media.name.as_deref());
    media
        .context
        .take()
        .filter(|words| !words.is_empty())
        .map(|words| headed_text(title, &words))
}

/// What became of one medium.
enum Placed {
    Media(Box<Media>),
    Parts(Vec<Part>),
}

/// One medium in the target's terms: itself, other parts, or a refusal that names it.
fn place_media(mut media: Media, target: &Target) -> Result<Placed, Failure> {
    check_media(&media, target)?;
    if let MediaSource::Inline { mime, data } = &mut media.source {
        *mime = media_type::plain(mime);
        // Clients of generate content write the URL-safe alphabet, which nobody else takes.
        if memchr::memchr2(b'-', b'_', data.as_bytes()).is_some()
            && let Some(standard) = data_url::standard_base64(data)
        {
            *data = standard;
        }
    }
    let takes_text_documents = !matches!(
        target.dialect,
        DialectId::ChatCompletions | DialectId::TextCompletions
    );
    Ok(match media.source {
        MediaSource::Text(text) if !takes_text_documents => {
            let title = media.title.as_deref().or(media.name.as_deref());
            Placed::Parts(vec![headed_text(title, &text)])
        }
        MediaSource::Parts(parts) if target.dialect != DialectId::Messages => Placed::Parts(parts),
        source => {
            media.source = source;
            Placed::Media(Box::new(media))
        }
    })
}

fn check_media(media: &Media, target: &Target) -> Result<(), Failure> {
    let (class, can) = (media.class, &target.can);
    let refused = |what: &str| {
        let text = format!(
            "This model's own format ({}) takes no {what}.",
            target.dialect.name()
        );
        Err(Failure::unsupported("messages", text))
    };
    if let MediaSource::File { dialect, .. } = &media.source
        && *dialect != target.dialect
    {
        return refused("files that were uploaded to another vendor");
    }
    match (target.dialect, class) {
        (DialectId::Messages, MediaClass::Audio) => refused("audio"),
        (dialect, MediaClass::Video) if dialect != DialectId::GenerateContent => refused("video"),
        (_, MediaClass::Image) if !can.image => refused("images"),
        (_, MediaClass::Audio) if !can.audio => refused("audio"),
        _ => Ok(()),
    }
}

/// Refuses content of a type that the vendor would refuse, or that the writer has no word for.
fn check_types(request: &Request, target: &Target) -> Result<(), Failure> {
    for (turn, Turn { role, parts, .. }) in request.turns.iter().enumerate() {
        // What the model itself has made is no input.
        if *role == Role::Assistant {
            continue;
        }
        for (place, part) in parts.iter().enumerate() {
            for media in media_of(part) {
                check_type(media, target).map_err(|text| {
                    Failure::unsupported(part_names::of(request, turn, place), text)
                })?;
            }
        }
    }
    Ok(())
}

fn check_type(media: &Media, target: &Target) -> Result<(), String> {
    let mime = match &media.source {
        MediaSource::Inline { mime, .. } => media_type::plain(mime),
        MediaSource::Url { .. } => return check_address(media, target),
        _ => return Ok(()),
    };
    let (is_taken, taken) = match (target.dialect, media.class) {
        (DialectId::Messages, MediaClass::Image) => {
            let known = ["image/jpeg", "image/png", "image/gif", "image/webp"];
            (known.contains(&mime.as_str()), "JPEG, PNG, GIF and WebP")
        }
        (DialectId::Messages, MediaClass::Document) if !target.can.office_documents => {
            let is_known = mime == "application/pdf" || media_type::is_text(&mime);
            (is_known, "PDF and text")
        }
        // A model that does not listen takes no audio of any type, which is told later.
        (DialectId::ChatCompletions | DialectId::Responses, MediaClass::Audio)
            if target.can.audio =>
        {
            let format = media_type::audio_format(&mime);
            (matches!(format, "wav" | "mp3"), "WAV and MP3")
        }
        _ => return Ok(()),
    };
    if is_taken {
        return Ok(());
    }
    Err(format!(
        "This model's own format ({}) takes no {} of the type `{mime}`: only {taken}.",
        target.dialect.name(),
        media.class.name(),
    ))
}

/// Refuses an address that was not fetched, where the writer has no word for one.
fn check_address(media: &Media, target: &Target) -> Result<(), String> {
    let is_unsayable = target.dialect == DialectId::Responses && media.class == MediaClass::Audio;
    if !is_unsayable || !target.can.audio {
        return Ok(());
    }
    Err(format!(
        "This model's own format ({}) takes audio as data alone, and what is at this address could not be fetched.",
        target.dialect.name()
    ))
}

fn headed_text(title: Option<&str>, text: &str) -> Part {
    Part::text(match title {
        Some(title) => format!("[document: {title}]\n{text}"),
        None => text.to_owned(),
    })
}

/// A block of another dialect that can still be said: search results are text to everybody.
fn place_hosted(hosted: &Hosted, target: &Target) -> Option<PartKind> {
    if hosted.dialect == target.dialect {
        return Some(PartKind::Hosted(hosted.clone()));
    }
    if hosted.raw.get("type")?.as_str()? != "search_result" {
        return None;
    }
    let field = |key: &str| {
        hosted
            .raw
            .get(key)
            .and_then(|v| v.as_str())
            .unwrap_or_default()
    };
    let content = hosted
        .raw
        .get("content")
        .and_then(|v| v.as_array())
        .into_iter()
        .flatten();
    let text: String = content
        .filter_map(|block| block.get("text")?.as_str())
        .collect();
    let text = format!("{}\n{}\n{text}", field("title"), field("source"));
    Some(PartKind::Text {
        text,
        annotations: Vec::new(),
    })
}

/// Items that declare tools between turns: their tools have joined the others.
fn is_taken_over(hosted: &Hosted) -> bool {
    matches!(
        hosted_name(hosted),
        "additional_tools" | "tool_search_output"
    )
}

fn hosted_name(hosted: &Hosted) -> &str {
    hosted
        .raw
        .get("type")
        .and_then(|kind| kind.as_str())
        .unwrap_or("hosted_tool_part")
}

/// Where results are text only, their media follow them, before whatever the user says about them.
fn move_media_out_of_results(turn: &mut Turn, target: &Target) {
    let takes_media = match target.dialect {
        DialectId::ChatCompletions | DialectId::TextCompletions => false,
        DialectId::GenerateContent => target.can.media_results,
        DialectId::Messages | DialectId::Responses => true,
    };
    if takes_media {
        return;
    }
    let media: Vec<Part> = turn.parts.iter_mut().flat_map(media_of_result).collect();
    let is_result = |part: &Part| matches!(part.kind, PartKind::ToolResult(_));
    let place = turn
        .parts
        .iter()
        .rposition(is_result)
        .map_or(0, |last| last + 1);
    turn.parts.splice(place..place, media);
}

fn media_of_result(part: &mut Part) -> Vec<Part> {
    let PartKind::ToolResult(ToolResult { parts, shape, .. }) = &mut part.kind else {
        return Vec::new();
    };
    let mut media = Vec::new();
    for part in parts.iter_mut() {
        let PartKind::Media(found) = &part.kind else {
            continue;
        };
        let note = match found.class {
            MediaClass::Image => "[image attached below]",
            _ => "[file attached below]",
        };
        media.push(std::mem::replace(part, Part::text(note)));
        *shape = ContentShape::Parts;
    }
    media
}
