//! A call for images on its way to an upstream.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use billing::pricing::Bounds;
use billing::tokens;
use bytes::Bytes;
use dialects::canonical::Failure;
use dialects::fields::Fields;
use dialects::images::google::InlineImage;
use dialects::images::{
    EditRequest, GenerationRequest, ImageOperation, ImageSource, google, imagen,
};
use futures_util::future::BoxFuture;
use http::header;
use providers::{Format, Headers, Operation, RequestBody};

use super::drawn::{Drawn, Maker};
use super::fetch;
use super::listener::ImageListener;
use super::read::wanted;
use super::wish::{Source, Wish};
use crate::model_call::form::WrittenForm;
use crate::model_call::headers::passing;
use crate::model_call::metering::Basis;
use crate::model_call::passing_answer::PassingAnswer;
use crate::model_call::strict;
use crate::model_call::task::{Addressee, Outgoing, Task};
use crate::model_call::whole_answer::WholeAnswer;

/// A call for images.
pub struct ImageTask(pub Wish);

impl Task for ImageTask {
    fn operation(&self) -> Operation {
        match self.0.operation {
            ImageOperation::Generate => Operation::GenerateImage,
            ImageOperation::Edit => Operation::EditImage,
            ImageOperation::Vary => Operation::VaryImage,
        }
    }

    fn model(&self) -> &str {
        &self.0.model
    }

    fn is_stream(&self) -> bool {
        self.0.options.stream
    }

    fn bounds(&self) -> Option<Bounds> {
        Some(self.0.bounds())
    }

    fn estimated_tokens(&self) -> u64 {
        tokens::approximate(self.0.prompt.len() as u64)
    }

    fn is_repeatable(&self) -> bool {
        match &self.0.body {
            Source::Generation(_) => true,
            // Files of one vendor's account mean nothing elsewhere.
            Source::Edit { is_bound, .. } => !is_bound,
            Source::Form(form) => form.is_repeatable(),
        }
    }

    fn write<'a>(&'a mut self, to: Addressee<'a>) -> BoxFuture<'a, Result<Outgoing, Failure>> {
        Box::pin(async move {
            let wish = &mut self.0;
            if to.formats.contains(&Format::Common) {
                return common(wish, &to, Format::Common);
            }
            if to.formats.contains(&Format::Form) {
                if let Source::Edit { images, mask, .. } = &mut wish.body {
                    fetch::inline(to.app, images, mask.as_mut()).await?;
                }
                return common(wish, &to, Format::Form);
            }
            if let Source::Form(form) = &mut wish.body {
                form.hold_all().await?;
                (wish.prompt, wish.options) = wanted(form, wish.operation)?;
            }
            let offers = |format| to.formats.contains(&format);
            if offers(Format::Google) {
                if let Source::Edit {
                    images,
                    mask: None,
                    is_bound: false,
                    ..
                } = &mut wish.body
                {
                    fetch::inline(to.app, images, None).await?;
                }
                of_google(wish, &to)
            } else if offers(Format::Predict) && wish.operation == ImageOperation::Generate {
                let body = imagen::write_call(&wish.prompt, &wish.options)?;
                foreign(wish, &to, Format::Predict, body.into(), Maker::Imagen)
            } else {
                let text = "The upstream has no format for this that is known.";
                Err(Failure::unsupported("model", text))
            }
        })
    }
}

/// The client's own body, and the upstream's own answer.
fn common(wish: &Wish, to: &Addressee<'_>, format: Format) -> Result<Outgoing, Failure> {
    let model = &to.place.upstream_model;
    let mut headers = headers(to);
    let body = match &wish.body {
        Source::Edit {
            body, images, mask, ..
        } if format == Format::Form => {
            let form = as_form(body, model, images, mask.as_ref(), to)?;
            let (kind, body) = form.finish();
            headers.insert(header::CONTENT_TYPE, kind);
            body
        }
        Source::Generation(body) => whole(GenerationRequest::forward(body, model)?),
        Source::Edit { body, .. } => whole(EditRequest::forward(body, model)?),
        Source::Form(form) => {
            headers.insert(header::CONTENT_TYPE, form.content_type());
            form.body(model)
        }
    };
    let listener = ImageListener::new(wish, Basis::of(&wish.model, to));
    Ok(Outgoing {
        format,
        is_stream: wish.options.stream,
        headers,
        query: None,
        body,
        dropped: Vec::new(),
        answer: Box::new(PassingAnswer::new(listener)),
    })
}

/// A JSON body as the form that says the same.
fn as_form(
    body: &[u8],
    model: &str,
    images: &[ImageSource],
    mask: Option<&ImageSource>,
    to: &Addressee<'_>,
) -> Result<WrittenForm, Failure> {
    let mut form = WrittenForm::new(to.app.randomness());
    form.text("model", model);
    for (name, value) in EditRequest::texts(body)? {
        form.text(&name, &value);
    }
    let name = if images.len() == 1 {
        "image"
    } else {
        "image[]"
    };
    let images = images.iter().map(|image| (name, image));
    for (name, image) in images.chain(mask.map(|mask| ("mask", mask))) {
        let (kind, data) = of_url(image)?;
        let content = STANDARD.decode(data).map_err(|_| {
            let text = "The data of an image is no base64.";
            Failure::bad_request(name, text)
        })?;
        form.file(name, &kind, &content);
    }
    Ok(form)
}

fn headers(to: &Addressee<'_>) -> Headers {
    passing(to.call, to.place, None)
}

fn whole(body: Vec<u8>) -> RequestBody {
    RequestBody::Whole(body.into())
}

/// Models of Google that draw when they are asked to generate.
fn of_google(wish: &Wish, to: &Addressee<'_>) -> Result<Outgoing, Failure> {
    let (images, has_mask) = inline(wish)?;
    let borrowed: Vec<InlineImage<'_>> = images
        .iter()
        .map(|(media_type, base64)| InlineImage { media_type, base64 })
        .collect();
    let body = google::write_call(&wish.prompt, &wish.options, &borrowed, has_mask)?;
    foreign(wish, to, Format::Google, body.into(), Maker::Google)
}

fn foreign(
    wish: &Wish,
    to: &Addressee<'_>,
    format: Format,
    body: Bytes,
    maker: Maker,
) -> Result<Outgoing, Failure> {
    let dropped = match &wish.body {
        Source::Generation(body) | Source::Edit { body, .. } => {
            let fields = Fields::read(body)?;
            google::dropped(|name| fields.raw(name).is_some())
        }
        Source::Form(form) => google::dropped(|name| form.text(name).is_some()),
    };
    strict::check(to.call, &dropped)?;
    let created = to.app.clock().now_ms() / 1000;
    let drawn = Drawn::new(
        wish,
        maker,
        body.clone(),
        u64::try_from(created).unwrap_or_default(),
        Basis::of(&wish.model, to),
    );
    let content_type = drawn.content_type();
    Ok(Outgoing {
        format,
        is_stream: false,
        headers: headers(to),
        query: None,
        body: RequestBody::Whole(body),
        dropped,
        answer: Box::new(WholeAnswer::new(drawn, content_type)),
    })
}

/// The images that go in, in base64 with their media types, and whether there is a mask.
fn inline(wish: &Wish) -> Result<(Vec<(String, String)>, bool), Failure> {
    match &wish.body {
        Source::Generation(_) => Ok((Vec::new(), false)),
        Source::Edit { images, mask, .. } => {
            let inline = images.iter().map(of_url).collect::<Result<_, _>>()?;
            Ok((inline, mask.is_some()))
        }
        Source::Form(form) => {
            let (masks, images): (Vec<_>, Vec<_>) =
                form.files().iter().partition(|file| file.name == "mask");
            let encode = |bytes: Vec<u8>| STANDARD.encode(bytes);
            let image = |file: &&crate::model_call::form::HeldFile| {
                let kind = file.media_type.clone();
                let kind = kind.unwrap_or_else(|| "image/png".to_owned());
                (kind, encode(file.bytes()))
            };
            Ok((images.iter().map(image).collect(), !masks.is_empty()))
        }
    }
}

fn of_url(source: &ImageSource) -> Result<(String, String), Failure> {
    if let ImageSource::File(_) = source {
        let text = "This model takes no files of another vendor's account.";
        return Err(Failure::unsupported("images", text));
    }
    source.data().ok_or_else(|| {
        let text = "This model takes images as data URLs alone.";
        Failure::unsupported("images", text)
    })
}
