//! Failures inside of streams of images and sound: clients hear of them in our words, without what is ours.

use serde_json::{Value, json};
use testkit::Reply as Scripted;

use super::exchange::form;
use super::forms::send_form;
use super::vendor::{CHAT, Vendor};

/// A stream that a client asks for, and an event that comes before its failure.
struct Asked {
    path: &'static str,
    event: Value,
}

fn asked() -> [Asked; 3] {
    [
        Asked {
            path: "/v1/images/generations",
            event: json!({"type": "image_generation.partial_image", "b64_json": "AAAA", "partial_image_index": 0}),
        },
        Asked {
            path: "/v1/audio/speech",
            event: json!({"type": "speech.audio.delta", "audio": "AAAA"}),
        },
        Asked {
            path: "/v1/audio/transcriptions",
            event: json!({"type": "transcript.text.delta", "delta": "Hello"}),
        },
    ]
}

impl Asked {
    /// The beginning of the stream.
    fn begun(&self) -> Scripted {
        Scripted::sse().data(&self.event.to_string())
    }

    /// Asks for it; status and text of the answer, and its call's id.
    fn ask(&self, vendor: &Vendor) -> (u16, String, String) {
        if self.path == "/v1/audio/transcriptions" {
            let texts = [("model", "m"), ("stream", "true")];
            let body = form(&texts, 2, ("file", "a.wav", b"RIFF....WAVEdata"));
            let answer = send_form(vendor, self.path, &body);
            let id = answer.header("x-request-id").to_owned();
            return (answer.status, answer.text().to_owned(), id);
        }
        let body = match self.path {
            "/v1/audio/speech" => {
                json!({"model": "m", "input": "Hello", "voice": "alloy", "stream_format": "sse"})
            }
            _ => json!({"model": "m", "prompt": "a fox", "stream": true}),
        };
        let reply = vendor.post(self.path, &body);
        let id = reply.header("x-request-id").unwrap_or_default().to_owned();
        (reply.status, reply.body, id)
    }
}

/// Events of vendors that say what no client should hear.
fn telling() -> [(&'static str, Value, &'static str); 4] {
    let words = "No answer from api.vendor.com for org-AbCdEf123456";
    let failed = "The upstream failed.";
    let refused = "The upstream refused the call.";
    [
        (
            "error",
            json!({"type": "error", "error": {"type": "server_error", "message": words}}),
            failed,
        ),
        ("error", json!({"type": "error", "message": words}), failed),
        ("error", json!({"message": words}), failed),
        (
            "error",
            json!({"type": "error", "code": "invalid_api_key", "message": "Incorrect key sk-vendor-123456."}),
            refused,
        ),
    ]
}

#[test]
fn a_failure_in_a_stream_of_images_or_sound_is_told_without_what_is_ours() {
    for asked in asked() {
        for (name, event, told) in telling() {
            let vendor = Vendor::speaking(CHAT);
            let stream = asked.begun().event(name, &event.to_string());
            vendor.upstream().on(asked.path, stream);
            let (status, text, id) = asked.ask(&vendor);
            let what = format!("{} {event}: {text}", asked.path);
            assert_eq!(status, 200, "{what}");
            let (first, rest) = text.split_once("\n\n").expect("a whole event");
            assert_eq!(first, format!("data: {}", asked.event), "{what}");
            let data = rest.strip_prefix("event: error\ndata: ").expect(&what);
            let last: Value = serde_json::from_str(data.trim_end()).expect(&what);
            assert_eq!(
                (&last["type"], &last["error"]["message"]),
                (&json!("error"), &json!(told)),
                "{what}"
            );
            let (call, _) = vendor.logged_as(&id);
            assert_eq!(call.charge_nanos, 0, "{what}");
        }
    }
}

#[test]
fn a_stream_of_images_or_sound_that_ends_without_its_end_says_so() {
    for asked in asked() {
        let vendor = Vendor::speaking(CHAT);
        vendor.upstream().on(asked.path, asked.begun());
        let (_, text, _) = asked.ask(&vendor);
        assert!(text.contains("event: error\n"), "{}: {text}", asked.path);
    }
}

#[test]
fn another_channel_takes_over_where_a_stream_begins_with_its_failure() {
    for asked in asked() {
        let vendor = Vendor::with(&[CHAT, CHAT], "100");
        let (_, event, _) = &telling()[0];
        let failed = Scripted::sse().data(&event.to_string());
        vendor.upstreams[0].on(asked.path, failed);
        vendor.upstreams[1].on(asked.path, asked.begun());
        let (_, text, id) = asked.ask(&vendor);
        let first = format!("data: {}\n\n", asked.event);
        assert!(text.starts_with(&first), "{}: {text}", asked.path);
        assert_eq!(vendor.logged_as(&id).1.len(), 2, "{}", asked.path);
    }
}

#[test]
fn an_event_of_many_megabytes_passes_as_it_is() {
    let image = "A".repeat(3 << 20);
    let event = json!({"type": "image_generation.completed", "b64_json": image,
        "usage": {"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}});
    let vendor = Vendor::speaking(CHAT);
    let path = "/v1/images/generations";
    vendor
        .upstream()
        .on(path, Scripted::sse().data(&event.to_string()));
    let body = json!({"model": "m", "prompt": "a fox", "stream": true});
    let reply = vendor.post(path, &body);
    assert!(reply.body == format!("data: {event}\n\n"));
    assert_eq!(vendor.logged(&reply).0.charge_nanos, 5_000 + 70_000);
}
