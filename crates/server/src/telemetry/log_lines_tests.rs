//! Lines inside a request look as if the library had written them inside of a span.

use std::io;
use std::sync::{Arc, Mutex};

use futures_util::FutureExt as _;
use serde_json::Value;
use tracing_subscriber::fmt::format::JsonFields;
use tracing_subscriber::fmt::{self as library, MakeWriter};
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::{Layer, Registry};

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

impl MakeWriter<'_> for Lines {
    type Writer = Self;

    fn make_writer(&self) -> Self {
        self.clone()
    }
}

/// What a subscriber writes of some events. Digits are all alike: the time is not the same twice.
fn lines<L>(written: &Lines, layer: L, inside: impl FnOnce(&dyn Fn())) -> String
where
    L: Layer<Registry> + Send + Sync,
{
    let subscriber = tracing_subscriber::registry().with(layer);
    tracing::subscriber::with_default(subscriber, || {
        tracing::info!(of = "the service", "outside");
        inside(&|| tracing::warn!(path = "/v1", tries = 3, "inside"));
    });
    let text = String::from_utf8(written.0.lock().unwrap().clone()).unwrap();
    let alike = |sign: char| if sign.is_ascii_digit() { '0' } else { sign };
    text.chars().map(alike).collect()
}

fn in_a_scope(work: &dyn Fn()) {
    let scope = RequestScope::new("id-\"".into(), "::1".parse().unwrap());
    scope.in_scope(work);
}

fn in_a_span(work: &dyn Fn()) {
    tracing::info_span!("request", request_id = "id-\"", client = "::1").in_scope(work);
}

#[test]
fn text_is_as_in_a_span_of_the_library() {
    for is_coloured in [false, true] {
        let (theirs, ours) = (Lines::default(), Lines::default());
        let layer = || library::layer().with_ansi(is_coloured);
        let spanned = layer().with_writer(theirs.clone());
        let scoped = layer()
            .event_format(TextLines::new())
            .with_writer(ours.clone());
        let wanted = lines(&theirs, spanned, in_a_span);
        assert!(wanted.contains("inside"), "{wanted}");
        assert_eq!(lines(&ours, scoped, in_a_scope), wanted);
    }
}

#[test]
fn json_is_as_in_a_span_of_the_library() {
    let (theirs, ours) = (Lines::default(), Lines::default());
    let spanned = library::layer()
        .json()
        .flatten_event(true)
        .with_span_list(false)
        .with_writer(theirs.clone());
    let scoped = library::layer()
        .event_format(JsonLines::new())
        .fmt_fields(JsonFields::new())
        .with_writer(ours.clone());
    let read = |text: String| -> Vec<Value> {
        let read = |line| serde_json::from_str(line).unwrap();
        text.lines().map(read).collect()
    };
    let wanted = read(lines(&theirs, spanned, in_a_span));
    assert_eq!(wanted[1]["span"]["name"], "request");
    assert_eq!(read(lines(&ours, scoped, in_a_scope)), wanted);
}

#[test]
fn a_future_is_inside_until_it_is_dropped() {
    struct Last(Arc<Mutex<Option<Arc<str>>>>);
    impl Drop for Last {
        fn drop(&mut self) {
            let scope = RequestScope::current();
            *self.0.lock().unwrap() = scope.request().map(|request| request.id.clone());
        }
    }
    let seen = Arc::new(Mutex::new(None));
    let last = Last(seen.clone());
    let scope = RequestScope::new("id".into(), "::1".parse().unwrap());
    let future = scope.around(async move {
        let _last = last;
        std::future::pending::<()>().await;
    });
    assert!(Box::pin(future).now_or_never().is_none());
    assert_eq!(seen.lock().unwrap().as_deref(), Some("id"));
    assert!(RequestScope::current().request().is_none());
}
