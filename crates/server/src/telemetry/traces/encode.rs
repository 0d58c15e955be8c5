//! A batch of spans as OTLP's `ExportTraceServiceRequest`. Field numbers are those of
//! opentelemetry-proto 1.x, which never change.

use super::protobuf::Message;
use super::span::{Attribute, Span, SpanKind};

/// Who sends.
#[derive(Debug, Clone)]
pub(super) struct Resource {
    pub(super) node: String,
}

/// The request that hands these spans over.
pub(super) fn request(resource: &Resource, spans: &[Span]) -> Vec<u8> {
    let mut request = Message::default();
    request.message(1, |resource_spans| {
        resource_spans.message(1, |message| {
            let text = |value: &str| Attribute::Text(value.to_owned().into());
            attribute(message, 1, "service.name", &text("modelgate"));
            let version = text(env!("CARGO_PKG_VERSION"));
            attribute(message, 1, "service.version", &version);
            attribute(message, 1, "service.instance.id", &text(&resource.node));
        });
        resource_spans.message(2, |scope_spans| {
            scope_spans.message(1, |scope| {
                scope.bytes(1, b"modelgate");
                scope.bytes(2, env!("CARGO_PKG_VERSION").as_bytes());
            });
            for one in spans {
                scope_spans.message(2, |message| span(message, one));
            }
        });
    });
    request.into_bytes()
}

fn span(message: &mut Message, span: &Span) {
    message.bytes(1, &span.trace_id);
    message.bytes(2, &span.id);
    if let Some(parent) = &span.parent_id {
        message.bytes(4, parent);
    }
    message.bytes(5, span.name.as_bytes());
    message.number(
        6,
        match span.kind {
            SpanKind::Server => 2,
            SpanKind::Client => 3,
        },
    );
    message.fixed_64(7, span.start_ns);
    message.fixed_64(8, span.end_ns);
    for (name, value) in &span.attributes {
        attribute(message, 9, name, value);
    }
    if span.is_error {
        message.message(15, |status| status.number(3, 2));
    }
}

fn attribute(message: &mut Message, field: u32, name: &str, value: &Attribute) {
    message.message(field, |pair| {
        pair.bytes(1, name.as_bytes());
        pair.message(2, |any| match value {
            Attribute::Text(text) => any.bytes(1, text.as_bytes()),
            Attribute::Switch(is_on) => any.choice(2, u64::from(*is_on)),
            Attribute::Number(number) => any.choice(3, number.cast_unsigned()),
        });
    });
}
