//! Subtitles, as `SubRip` and `WebVTT` write them. They differ in little more than a comma.

use super::Segment;

/// Reads either. What is no cue (numbers, headers, notes) is passed over.
pub(super) fn read(text: &str) -> Vec<Segment> {
    let mut segments: Vec<Segment> = Vec::new();
    let mut in_cue = false;
    for line in text.trim_start_matches('\u{feff}').lines() {
        let line = line.trim();
        if let Some((start_ms, end_ms)) = times(line) {
            in_cue = true;
            segments.push(Segment {
                start_ms,
                end_ms,
                ..Segment::default()
            });
        } else if line.is_empty() {
            in_cue = false;
        } else if let Some(segment) = segments.last_mut().filter(|_| in_cue) {
            if !segment.text.is_empty() {
                segment.text.push('\n');
            }
            segment.text.push_str(line);
        }
    }
    segments
}

/// A line like `00:00:01,000 --> 00:00:02,500`; settings may follow.
fn times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    let end = rest.split_whitespace().next()?;
    Some((time(start.trim())?, time(end)?))
}

/// Hours may be missing, and a comma is as good as a dot.
fn time(text: &str) -> Option<u64> {
    let (whole, fraction) = text.split_once([',', '.'])?;
    let mut seconds: u64 = 0;
    for part in whole.split(':') {
        let part: u64 = part.parse::<u32>().ok()?.into();
        seconds = seconds.checked_mul(60)?.checked_add(part)?;
    }
    let is_milliseconds = fraction.len() == 3;
    let fraction: u64 = fraction.parse().ok().filter(|_| is_milliseconds)?;
    seconds.checked_mul(1000)?.checked_add(fraction)
}

/// Writes `SubRip`.
pub(super) fn write_srt(segments: &[Segment]) -> String {
    let mut out = String::new();
    for (index, segment) in segments.iter().enumerate() {
        out.push_str(&format_cue(segment, ',', &format!("{}\n", index + 1)));
    }
    out
}

/// Writes `WebVTT`.
pub(super) fn write_vtt(segments: &[Segment]) -> String {
    let mut out = "WEBVTT\n\n".to_owned();
    for segment in segments {
        out.push_str(&format_cue(segment, '.', ""));
    }
    out
}

fn format_cue(segment: &Segment, separator: char, head: &str) -> String {
    // A blank line would end the cue, and an arrow would begin one.
    let text = segment.text.replace("-->", "->");
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let speaker = segment.speaker.as_ref().map(|it| format!("{it}: "));
    format!(
        "{head}{} --> {}\n{}{}\n\n",
        stamp(segment.start_ms, separator),
        stamp(segment.end_ms, separator),
        speaker.unwrap_or_default(),
        lines.join("\n"),
    )
}

fn stamp(milliseconds: u64, separator: char) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (hours, minutes, seconds) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}{separator}{rest:03}")
}
