//! Pieces of the generate content dialect.

use std::collections::BTreeSet;

use super::{ensure, json};

pub fn check(text: &str) -> Result<(), String> {
    let mut finished = BTreeSet::new();
    let mut has_error = false;
    let frames: Vec<&str> = text
        .split("\r\n\r\n")
        .filter(|frame| !frame.is_empty())
        .collect();
    ensure(!frames.is_empty(), "an empty stream")?;
    for frame in frames {
        let data = frame
            .strip_prefix("data: ")
            .ok_or("a line that is no data")?;
        let piece = json(data)?;
        ensure(!has_error, "something comes after an error")?;
        if piece.get("error").is_some() {
            ensure(
                data.starts_with("{\"error\""),
                "an error that does not begin with `error`",
            )?;
            has_error = true;
            continue;
        }
        ensure(
            piece["responseId"].is_string(),
            "a piece without responseId",
        )?;
        ensure(
            piece["modelVersion"].is_string(),
            "a piece without modelVersion",
        )?;
        for candidate in piece["candidates"].as_array().into_iter().flatten() {
            let index = candidate["index"]
                .as_u64()
                .ok_or("a candidate without an index")?;
            ensure(
                !finished.contains(&index),
                "a candidate goes on after its end",
            )?;
            ensure(
                candidate["content"]["role"] == "model",
                "a candidate without its role",
            )?;
            for part in candidate["content"]["parts"].as_array().ok_or("no parts")? {
                if let Some(call) = part.get("functionCall") {
                    ensure(
                        call["args"].is_object() && call["name"].is_string(),
                        "half a call",
                    )?;
                }
            }
            if candidate["finishReason"].is_string() {
                finished.insert(index);
            }
        }
    }
    ensure(
        has_error || !finished.is_empty(),
        "neither an end nor an error",
    )
}
