//! Feeding streams to readers and writers.

use serde_json::Value;

use crate::canonical::{Event, EventSink, Failure, Reply};
use crate::fold::{Fold, unfold};
use crate::sse::SseReader;
use crate::{Dialect, Frame, ReplyContext};

/// The data of each frame of a stream.
pub(crate) fn frames_of(stream: &[u8]) -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    let mut reader = SseReader::default();
    let mut on_frame = |frame: Frame<'_>| frames.push(frame.data.to_vec());
    reader.push(stream, &mut on_frame).unwrap();
    reader.close(&mut on_frame);
    frames
}

/// The frames of a stream as JSON, without the mark `[DONE]`.
pub(crate) fn values_of(stream: &[u8]) -> Vec<Value> {
    let frames = frames_of(stream).into_iter();
    frames
        .filter(|data| data != b"[DONE]")
        .map(|data| serde_json::from_slice(&data).unwrap())
        .collect()
}

/// Values as the data of frames.
pub(crate) fn data_of(values: &[Value]) -> Vec<Vec<u8>> {
    let bytes = values.iter().map(|value| value.to_string().into_bytes());
    bytes.collect()
}

/// Reads frames to their end.
pub(crate) fn play(dialect: &dyn Dialect, frames: &[Vec<u8>], sink: &mut dyn EventSink) {
    let mut reader = dialect.stream_reader();
    for data in frames {
        reader.frame(Frame::new(data), sink);
    }
    reader.close(sink);
}

/// The answer that frames fold to.
pub(crate) fn fold(dialect: &dyn Dialect, frames: &[Vec<u8>]) -> Result<Reply, Failure> {
    let mut fold = Fold::new(dialect.id());
    play(dialect, frames, &mut fold);
    fold.finish()
}

/// The stream that a client gets where an upstream of its own dialect sends these frames.
pub(crate) fn rewritten(
    dialect: &dyn Dialect,
    frames: &[Vec<u8>],
    context: &ReplyContext,
) -> Vec<u8> {
    let mut writer = dialect.stream_writer(context);
    let mut out = Vec::new();
    play(dialect, frames, &mut |event: Event<'_>| {
        writer.event(event, &mut out);
    });
    out
}

/// The stream that these events are written as.
pub(crate) fn written<'a>(
    dialect: &dyn Dialect,
    context: &ReplyContext,
    events: impl IntoIterator<Item = Event<'a>>,
) -> Vec<u8> {
    let mut writer = dialect.stream_writer(context);
    let mut out = Vec::new();
    for event in events {
        writer.event(event, &mut out);
    }
    out
}

/// The stream that a whole answer is played as.
pub(crate) fn unfolded(dialect: &dyn Dialect, context: &ReplyContext, reply: &Reply) -> Vec<u8> {
    let mut writer = dialect.stream_writer(context);
    let mut out = Vec::new();
    unfold(reply, &mut |event: Event<'_>| writer.event(event, &mut out));
    out
}
