//! The fields of a span as JSON, written once when a request begins: straight into the text, without
//! the map and the serializer that a log line has time for.

use std::fmt::{self, Debug};

use tracing::field::{Field, Visit};
use tracing::span::Record;
use tracing_subscriber::field::RecordFields;
use tracing_subscriber::fmt::format::Writer;
use tracing_subscriber::fmt::{FormatFields, FormattedFields};

/// Writes fields as a JSON object.
pub(super) struct SpanFields;

impl<'writer> FormatFields<'writer> for SpanFields {
    fn format_fields<R: RecordFields>(&self, writer: Writer<'writer>, fields: R) -> fmt::Result {
        Object::begun(writer, true).with(fields)
    }

    fn add_fields(
        &self,
        current: &'writer mut FormattedFields<Self>,
        fields: &Record<'_>,
    ) -> fmt::Result {
        // The closing brace, or both.
        current.fields.pop();
        let is_empty = current.fields.len() <= 1;
        if is_empty {
            current.fields.clear();
        }
        Object::begun(current.as_writer(), is_empty).with(fields)
    }
}

/// An object that is being written.
struct Object<'writer> {
    writer: Writer<'writer>,
    written: fmt::Result,
    is_empty: bool,
}

impl<'writer> Object<'writer> {
    fn begun(writer: Writer<'writer>, is_empty: bool) -> Self {
        Self {
            writer,
            written: Ok(()),
            is_empty,
        }
    }

    fn with(mut self, fields: impl RecordFields) -> fmt::Result {
        fields.record(&mut self);
        self.written?;
        let end = if self.is_empty { "{}" } else { "}" };
        self.writer.write_str(end)
    }

    fn member(&mut self, field: &Field, value: &dyn fmt::Display) {
        let sign = if self.is_empty { '{' } else { ',' };
        self.is_empty = false;
        if self.written.is_ok() {
            // Names of fields are our own and need no escapes.
            self.written = write!(self.writer, "{sign}\"{}\":{value}", field.name());
        }
    }
}

impl Visit for Object<'_> {
    fn record_debug(&mut self, field: &Field, value: &dyn Debug) {
        self.record_str(field, &format!("{value:?}"));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.member(field, &Quoted(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.member(field, &value);
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.member(field, &value);
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.member(field, &value);
    }
}

/// A text as JSON has it.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_plain = |byte: u8| byte >= 0x20 && byte != b'"' && byte != b'\\';
        if self.0.bytes().all(is_plain) {
            return write!(formatter, "\"{}\"", self.0);
        }
        fmt::Display::fmt(&serde_json::Value::from(self.0), formatter)
    }
}

#[cfg(test)]
mod tests {
    use std::io;
    use std::sync::{Arc, Mutex};

    use tracing_subscriber::layer::SubscriberExt as _;

    use super::*;

    #[derive(Clone, Default)]
    struct Lines(Arc<Mutex<Vec<u8>>>);

    impl io::Write for Lines {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_below_a_span_show_its_fields_as_json() {
        let lines = Lines::default();
        let own = lines.clone();
        let layer = tracing_subscriber::fmt::layer()
            .with_writer(move || own.clone())
            .json()
            .flatten_event(true)
            .with_span_list(false)
            .fmt_fields(SpanFields);
        let subscriber = tracing_subscriber::registry().with(layer);
        tracing::subscriber::with_default(subscriber, || {
            let late = tracing::field::Empty;
            let span = tracing::info_span!("request", id = "a\"b\n", client = %"::1", n = 7, late);
            span.record("late", true);
            span.in_scope(|| tracing::info!("said"));
            let bare = tracing::info_span!("bare", late);
            bare.record("late", 3);
            bare.in_scope(|| tracing::info!("said"));
        });
        let text = String::from_utf8(lines.0.lock().unwrap().clone()).unwrap();
        let spans: Vec<serde_json::Value> = text
            .lines()
            .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap()["span"].clone())
            .collect();
        let of_request = serde_json::json!({"id": "a\"b\n", "client": "::1", "n": 7,
            "late": true, "name": "request"});
        assert_eq!(spans[0], of_request);
        assert_eq!(spans[1], serde_json::json!({"late": 3, "name": "bare"}));
    }
}
