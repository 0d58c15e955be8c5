//! Reads the three endpoints' bodies: JSON, or forms with images.

use std::sync::Arc;

use axum::body::Body;
use dialects::canonical::Failure;
use dialects::images::{EditRequest, GenerationRequest, ImageOperation, ImageOptions};
use futures_util::future::BoxFuture;
use http::header;

use super::task::ImageTask;
use super::wish::{Source, Wish};
use crate::app::App;
use crate::model_call::body::json_body;
use crate::model_call::call::Call;
use crate::model_call::form::{Form, Kind, read_form};
use crate::model_call::pipeline::Refused;
use crate::model_call::task::Task;
use crate::model_call::vendor_state;

/// What comes after a large image is checked as it passes.
static FORM: Kind = Kind {
    file: "image",
    has_one_file: false,
    options: &ImageOptions::NAMES,
    check: |name, value| ImageOptions::from_parts([(name, value)]).map(drop),
};

type Read<'a> = BoxFuture<'a, Result<Box<dyn Task>, Refused>>;

/// Reads `/v1/images/generations`.
pub fn read_generation<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(async move {
        let body = json_body(app, call, body).await?;
        let request = GenerationRequest::read(&body)?;
        vendor_state::check_other(app, &body)?;
        Ok(task(Wish {
            operation: ImageOperation::Generate,
            model: request.model,
            prompt: request.prompt,
            options: request.options,
            body: Source::Generation(body),
        }))
    })
}

/// Reads `/v1/images/edits`, as JSON or as a form.
pub fn read_edit<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(async move {
        let kind = call.headers().get(header::CONTENT_TYPE);
        let is_json = kind.is_some_and(|kind| {
            let kind = kind.as_bytes().to_ascii_lowercase();
            kind.starts_with(b"application/json")
        });
        if !is_json {
            return read_images(app, call, body, ImageOperation::Edit).await;
        }
        let body = json_body(app, call, body).await?;
        let request = EditRequest::read(&body)?;
        vendor_state::check_other(app, &body)?;
        let is_bound = request.is_bound_to_a_vendor();
        Ok(task(Wish {
            operation: ImageOperation::Edit,
            model: request.model,
            prompt: request.prompt,
            options: request.options,
            body: Source::Edit {
                body,
                images: request.images,
                mask: request.mask,
                is_bound,
            },
        }))
    })
}

/// Reads `/v1/images/variations`.
pub fn read_variation<'a>(app: &'a Arc<App>, call: &'a Call, body: Body) -> Read<'a> {
    Box::pin(read_images(app, call, body, ImageOperation::Vary))
}

async fn read_images(
    app: &App,
    call: &Call,
    body: Body,
    operation: ImageOperation,
) -> Result<Box<dyn Task>, Refused> {
    let form = read_form(app, call, body, &FORM).await?;
    let (prompt, options) = wanted(&form, operation)?;
    Ok(task(Wish {
        operation,
        model: given(&form, "model")?,
        prompt,
        options,
        body: Source::Form(form),
    }))
}

/// Prompt and options, as far as the form was read.
pub fn wanted(form: &Form, operation: ImageOperation) -> Result<(String, ImageOptions), Failure> {
    let prompt = match operation {
        // What comes after a large image is seen by the upstream alone.
        ImageOperation::Edit if form.is_whole() => given(form, "prompt")?,
        _ => form.text("prompt").unwrap_or_default().to_owned(),
    };
    Ok((prompt, ImageOptions::from_parts(form.texts())?))
}

fn given(form: &Form, name: &str) -> Result<String, Failure> {
    let text = form.text(name).filter(|text| !text.is_empty());
    let missing = || Failure::bad_request(name, format!("`{name}` is required."));
    text.map(str::to_owned).ok_or_else(missing)
}

fn task(wish: Wish) -> Box<dyn Task> {
    Box::new(ImageTask(wish))
}
