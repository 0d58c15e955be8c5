//! Pictures of the demo model: generations, edits and variations, whole or as streams with
//! unfinished pictures.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use dialects::canonical::Failure;
use dialects::ids;
use dialects::images::{EditRequest, GenerationRequest, ImageOptions, Size};
use providers::Operation;
use serde_json::{Value, json};

use super::answer::{Answer, EVENTS};
use super::drawing::draw;
use super::form::Form;
use super::{CREATED, tokens};

/// The side of a picture where nobody says.
const SIDE: u32 = 1024;
/// The longest side that is drawn.
const LONGEST_SIDE: u32 = 4096;

/// What is to be drawn.
pub(super) struct Wish {
    options: ImageOptions,
    prompt: String,
    /// Stands for the pictures that go in.
    source: String,
    /// How many pictures go in.
    sources: u64,
}

impl Wish {
    /// Reads a JSON body.
    pub(super) fn read(operation: Operation, body: &[u8]) -> Result<Self, Failure> {
        if operation == Operation::EditImage {
            let request = EditRequest::read(body)?;
            return Ok(Self {
                source: ids::hash(&[&format!("{:?}", request.images)], 16),
                sources: request.images.len() as u64,
                options: request.options,
                prompt: request.prompt,
            });
        }
        let request = GenerationRequest::read(body)?;
        Ok(Self {
            options: request.options,
            prompt: request.prompt,
            source: String::new(),
            sources: 0,
        })
    }

    /// Reads a form.
    pub(super) fn of_form(operation: Operation, form: &Form) -> Result<Self, Failure> {
        let image = form.file("image")?;
        let start = String::from_utf8_lossy(&image.start);
        let prompt = form.text("prompt").unwrap_or_default();
        if prompt.is_empty() && operation == Operation::EditImage {
            return Err(Failure::bad_request("prompt", "`prompt` is required."));
        }
        let is_image = |part: &&super::form::Part| part.head.name.starts_with("image");
        Ok(Self {
            options: ImageOptions::from_parts(form.texts())?,
            prompt: prompt.to_owned(),
            source: ids::hash(&[&start, &image.recording.length().to_string()], 16),
            sources: form.0.iter().filter(is_image).count() as u64,
        })
    }

    fn pixels(&self) -> Result<(u32, u32), Failure> {
        let (width, height) = match self.options.pixels() {
            Size::Pixels(width, height) => (width, height),
            Size::Ratio(width, height) if width >= height => (SIDE, SIDE * height / width),
            Size::Ratio(width, height) => (SIDE * width / height, SIDE),
            Size::Other => (SIDE, SIDE),
        };
        let range = 1..=LONGEST_SIDE;
        if range.contains(&width) && range.contains(&height) {
            return Ok((width, height));
        }
        let text = format!("`size` must not be more than {LONGEST_SIDE}x{LONGEST_SIDE}.");
        Err(Failure::bad_request("size", text))
    }

    /// Draws everything that is wished for.
    pub(super) fn answer(&self, operation: Operation) -> Result<Answer, Failure> {
        let format = self.options.output_format.as_deref().unwrap_or("png");
        if format != "png" {
            let text = "The demo model draws `png` alone.";
            return Err(Failure::bad_request("output_format", text));
        }
        let (width, height) = self.pixels()?;
        let facts = json!({
            "size": format!("{width}x{height}"),
            "quality": self.options.quality.as_deref().unwrap_or("auto"),
            "background": "opaque",
            "output_format": "png",
        });
        let picture = |index: u64, done: usize, of: usize| {
            let seed = format!("{operation:?} {} {} {index}", self.prompt, self.source);
            let (width, height) = (width as usize, height as usize);
            STANDARD.encode(draw(&seed, width, height, done, of))
        };
        if self.options.stream {
            return Ok(self.stream(operation, &facts, &picture));
        }
        let as_url = self.options.response_format.as_deref() == Some("url");
        let data: Vec<Value> = (0..self.options.count)
            .map(|index| match picture(index, 1, 1) {
                file if as_url => json!({"url": format!("data:image/png;base64,{file}")}),
                file => json!({ "b64_json": file }),
            })
            .collect();
        let mut body = json!({"created": CREATED, "data": data});
        add(&mut body, &facts);
        body["usage"] = self.usage(self.options.count);
        Ok(Answer::json(&body))
    }

    fn stream(
        &self,
        operation: Operation,
        facts: &Value,
        picture: &dyn Fn(u64, usize, usize) -> String,
    ) -> Answer {
        let name = match operation {
            Operation::GenerateImage => "image_generation",
            _ => "image_edit",
        };
        let mut frames = Vec::new();
        let mut frame = |kind: &str, file: String, more: &Value| {
            let mut event = json!({"type": format!("{name}.{kind}"), "b64_json": file});
            event["created_at"] = json!(CREATED);
            add(&mut event, facts);
            add(&mut event, more);
            frames.push(format!("event: {name}.{kind}\ndata: {event}\n\n"));
        };
        let partial = usize::try_from(self.options.partial_images).unwrap_or_default();
        for index in 0..self.options.count {
            for done in 0..partial {
                let file = picture(index, done + 1, partial + 1);
                frame("partial_image", file, &json!({"partial_image_index": done}));
            }
            let usage = json!({"usage": self.usage(1)});
            frame("completed", picture(index, 1, 1), &usage);
        }
        Answer::streamed(EVENTS, frames)
    }

    fn usage(&self, pictures: u64) -> Value {
        let text = tokens::count(&self.prompt);
        let (image, output) = (self.sources * 100, pictures * 100);
        json!({
            "total_tokens": text + image + output,
            "input_tokens": text + image,
            "output_tokens": output,
            "input_tokens_details": {"text_tokens": text, "image_tokens": image},
        })
    }
}

/// Adds the members of an object to another.
fn add(body: &mut Value, more: &Value) {
    if let (Some(body), Some(more)) = (body.as_object_mut(), more.as_object()) {
        body.extend(more.clone());
    }
}

#[cfg(test)]
mod tests {
    use dialects::images::{ImageOperation, ReplyTap, StreamTap};

    use super::*;

    fn drawn(body: &str) -> Answer {
        let wish = Wish::read(Operation::GenerateImage, body.as_bytes()).unwrap();
        wish.answer(Operation::GenerateImage).unwrap()
    }

    #[test]
    fn pictures_are_counted_by_the_tap_that_listens_to_vendors() {
        let answer = drawn(r#"{"model":"m","prompt":"a fox","n":2,"size":"64x32"}"#);
        let mut tap = ReplyTap::new(ImageOperation::Generate);
        tap.push(&answer.pieces[0].bytes);
        assert_eq!(tap.finish().unwrap().images, Some(2));
        let body: Value = serde_json::from_slice(&answer.pieces[0].bytes).unwrap();
        let first = STANDARD
            .decode(body["data"][0]["b64_json"].as_str().unwrap())
            .unwrap();
        assert!(first.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0@\0\0\0 "));
        assert_ne!(body["data"][0], body["data"][1]);
    }

    #[test]
    fn a_stream_shows_unfinished_pictures_first() {
        let answer = drawn(
            r#"{"model":"m","prompt":"a fox","size":"16x16","stream":true,"partial_images":2}"#,
        );
        let mut tap = StreamTap::new(ImageOperation::Generate);
        for piece in &answer.pieces {
            tap.push(&piece.bytes);
        }
        assert_eq!(tap.partial_images(), 2);
        assert_eq!(tap.close().unwrap().images, Some(1));
    }
}
