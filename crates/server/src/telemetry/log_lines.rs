//! How a log line looks: as the library writes it, with the request that it was written in where the
//! library would put the fields of a span.

use std::fmt;

use serde_json::json;
use tracing::{Event, Level, Subscriber};
use tracing_subscriber::fmt::format::{Format, Full, Json, Writer};
use tracing_subscriber::fmt::time::{FormatTime as _, SystemTime};
use tracing_subscriber::fmt::{FmtContext, FormatEvent, FormatFields};
use tracing_subscriber::registry::LookupSpan;

use super::request_scope::{RequestScope, RunningRequest};

/// Lines for people.
pub(super) struct TextLines {
    /// Target, message and fields.
    rest: Format<Full, ()>,
}

/// Lines for programs: an object each.
pub(super) struct JsonLines {
    object: Format<Json>,
}

impl TextLines {
    pub(super) fn new() -> Self {
        let rest = Format::default().without_time().with_level(false);
        Self { rest }
    }
}

impl JsonLines {
    pub(super) fn new() -> Self {
        let object = Format::default().json().flatten_event(true);
        Self {
            object: object.with_current_span(true).with_span_list(false),
        }
    }
}

impl<S, N> FormatEvent<S, N> for TextLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let paint = Paint {
            is_coloured: writer.has_ansi_escapes(),
        };
        let mut time = String::new();
        SystemTime.format_time(&mut Writer::new(&mut time))?;
        let (colour, level) = level(*event.metadata().level());
        write!(
            writer,
            "{} {} ",
            paint.with(DIM, &time),
            paint.with(colour, level)
        )?;
        if let Some(request) = RequestScope::current().request() {
            write!(writer, "{} ", request_text(request, paint))?;
        }
        self.rest.format_event(context, writer, event)
    }
}

/// `request{request_id="…" client="…"}:`
fn request_text(request: &RunningRequest, paint: Paint) -> String {
    let field = |name: &str, value: &str| {
        let (name, equals) = (paint.with(ITALIC, name), paint.with(DIM, "="));
        format!("{name}{equals}{value:?}")
    };
    [
        paint.with(BOLD, "request"),
        paint.with(BOLD, "{"),
        field("request_id", &request.id),
        " ".to_owned(),
        field("client", &request.client.to_string()),
        paint.with(BOLD, "}"),
        paint.with(DIM, ":"),
    ]
    .concat()
}

impl<S, N> FormatEvent<S, N> for JsonLines
where
    S: Subscriber + for<'a> LookupSpan<'a>,
    N: for<'a> FormatFields<'a> + 'static,
{
    fn format_event(
        &self,
        context: &FmtContext<'_, S, N>,
        mut writer: Writer<'_>,
        event: &Event<'_>,
    ) -> fmt::Result {
        let scope = RequestScope::current();
        let request = scope.request();
        // A library's own span is nearer to what happened, and the member is taken then.
        let Some(request) = request.filter(|_| context.lookup_current().is_none()) else {
            return self.object.format_event(context, writer, event);
        };
        let mut line = String::new();
        let whole = Writer::new(&mut line);
        self.object.format_event(context, whole, event)?;
        let open = line.strip_suffix("}\n").ok_or(fmt::Error)?;
        let (id, client) = (&*request.id, request.client.to_string());
        let span = json!({"request_id": id, "client": client, "name": "request"});
        writeln!(writer, "{open},\"span\":{span}}}")
    }
}

const BOLD: &str = "1";
const DIM: &str = "2";
const ITALIC: &str = "3";

/// A level as it is shown: its colour and its name.
fn level(level: Level) -> (&'static str, &'static str) {
    match level {
        Level::TRACE => ("35", "TRACE"),
        Level::DEBUG => ("34", "DEBUG"),
        Level::INFO => ("32", " INFO"),
        Level::WARN => ("33", " WARN"),
        Level::ERROR => ("31", "ERROR"),
    }
}

/// How terminals show a text, where the log goes to one.
#[derive(Clone, Copy)]
struct Paint {
    is_coloured: bool,
}

impl Paint {
    fn with(self, style: &str, text: &str) -> String {
        if self.is_coloured {
            format!("\x1b[{style}m{text}\x1b[0m")
        } else {
            text.to_owned()
        }
    }
}

#[cfg(test)]
#[path = "log_lines_tests.rs"]
mod tests;
