//! Spoiled bodies never panic, and what is made of them is JSON.

use serde_json::Value;

use super::upstream_read;
use super::*;
use crate::spoil::spoiled;

fn play(request: &Request, body: &[u8]) {
    for shape in Shape::ALL {
        let Ok(calls) = write_calls(request, body, shape, "up") else {
            continue;
        };
        let inputs: usize = calls.calls.iter().map(|call| call.inputs).sum();
        assert_eq!(inputs, request.input.len());
        for call in calls.calls {
            serde_json::from_slice::<Value>(&call.body).expect("JSON");
        }
    }
}

#[test]
fn spoiled_requests_are_refused_or_written_as_json() {
    spoiled("embeddings", "request-", |body| {
        if let Ok(request) = Request::read(body) {
            play(&request, body);
        }
    });
    spoiled("embeddings", "google-", |body| {
        if let Ok(request) = read_embed_content(body, "vector-g") {
            play(&request, body);
        }
        if let Ok(request) = read_batch_embed_contents(body, "vector-g") {
            play(&request, body);
        }
    });
}

#[test]
fn spoiled_replies_are_refused_or_answered_as_json() {
    let bodies = [
        r#"{"model":"m","input":["a","b"]}"#,
        r#"{"model":"m","input":["a","b"],"encoding_format":"base64"}"#,
        r#"{"model":"m","input":["a","b"],"dimensions":3}"#,
    ];
    spoiled("embeddings", "reply-", |reply| {
        for body in bodies {
            let request = Request::read(body.as_bytes()).expect("a request");
            for shape in Shape::ALL {
                let _ = upstream_read::read(shape, reply, 2);
                let calls = [Call {
                    body: Vec::new(),
                    inputs: 2,
                    method: "",
                }];
                let context = AnswerContext::default();
                let answer = answer(&request, shape, &calls, &[reply], &context);
                if let Some(body) = answer.ok().and_then(|answer| answer.body) {
                    serde_json::from_slice::<Value>(&body).expect("JSON");
                }
            }
        }
    });
}
