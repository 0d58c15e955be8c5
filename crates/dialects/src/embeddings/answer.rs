//! The client's answer from what the upstream's calls brought back.

use super::upstream_read::{self, Vectors};
use super::{Call, ClientFormat, Encoding, Request, Shape, Vector};
use crate::canonical::Failure;
use crate::json;
use crate::units::Units;

/// What the answer needs beside the upstream's bodies.
#[derive(Debug, Clone, Default)]
pub struct AnswerContext {
    /// The model's name, where the upstream gives none.
    pub model: String,
    /// Our own count of the input's tokens, where the upstream tells none.
    pub estimated_tokens: u64,
}

/// The client's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The body; `None` where the upstream's one body goes through as it is.
    pub body: Option<Vec<u8>>,
    /// What it used.
    pub units: Units,
    /// Whether that is our own estimate.
    pub estimated: bool,
}

/// Puts the answer together. `calls` and `bodies` belong together, one by one.
pub fn answer<B: AsRef<[u8]>>(
    request: &Request,
    shape: Shape,
    calls: &[Call],
    bodies: &[B],
    context: &AnswerContext,
) -> Result<Answer, Failure> {
    let mut parts = Vec::with_capacity(bodies.len());
    for (call, body) in calls.iter().zip(bodies) {
        parts.push(upstream_read::read(shape, body.as_ref(), call.inputs)?);
    }
    let told: Option<u64> = parts.iter().map(|part| part.tokens).sum();
    let told = told.filter(|tokens| *tokens > 0);
    let tokens = told.unwrap_or(context.estimated_tokens);
    let body = if passes(request, shape, &parts, told.is_some()) {
        None
    } else {
        let vectors = finished(request, shape, parts.iter().flat_map(|part| &part.list))?;
        let model = parts.iter().find_map(|part| part.model.as_deref());
        let model = model.unwrap_or(&context.model);
        Some(match request.client {
            ClientFormat::OpenAi => openai(&vectors, request.encoding, model, tokens)?,
            client => google(&vectors, client, tokens)?,
        })
    };
    Ok(Answer {
        body,
        units: Units::of_input(Some(tokens)),
        estimated: told.is_none(),
    })
}

/// Whether the upstream's one body is the client's answer as it is.
fn passes(request: &Request, shape: Shape, parts: &[Vectors<'_>], told: bool) -> bool {
    let [part] = parts else { return false };
    match request.client {
        ClientFormat::OpenAi => {
            let is_fit = |vector: &Vector<'_>| vector.is(request.encoding);
            shape == Shape::OpenAi && told && part.model.is_some() && part.list.iter().all(is_fit)
        }
        ClientFormat::EmbedContent => shape.is_google(),
        ClientFormat::BatchEmbedContents => shape == Shape::Google,
    }
}

/// The vectors as the client asked for them: of the length that was asked for, and of length one
/// where a vendor that shortens them leaves that to us.
fn finished<'a, 'b: 'a>(
    request: &Request,
    shape: Shape,
    vectors: impl Iterator<Item = &'a Vector<'b>>,
) -> Result<Vec<Vector<'b>>, Failure> {
    let wants = request.dimensions;
    let shortens = matches!(
        shape,
        Shape::Google | Shape::GoogleSingle | Shape::VertexPredict
    );
    vectors
        .map(|vector| {
            if wants.is_some_and(|wants| vector.dimensions() != Ok(to_usize(wants))) {
                return Err(Failure::unsupported(
                    "dimensions",
                    "This model does not give vectors of the length that `dimensions` asks for.",
                ));
            }
            if wants.is_some() && shortens && request.client == ClientFormat::OpenAi {
                vector.normalised()
            } else {
                Ok(vector.clone())
            }
        })
        .collect()
}

fn to_usize(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn openai(
    vectors: &[Vector<'_>],
    encoding: Encoding,
    model: &str,
    tokens: u64,
) -> Result<Vec<u8>, Failure> {
    let mut out = br#"{"object":"list","data":["#.to_vec();
    for (index, vector) in vectors.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        let head = format!(r#"{{"object":"embedding","index":{index},"embedding":"#);
        out.extend_from_slice(head.as_bytes());
        vector.write(encoding, &mut out)?;
        out.push(b'}');
    }
    out.extend_from_slice(br#"],"model":"#);
    json::write_str(&mut out, model);
    let usage = format!(r#","usage":{{"prompt_tokens":{tokens},"total_tokens":{tokens}}}}}"#);
    out.extend_from_slice(usage.as_bytes());
    Ok(out)
}

fn google(vectors: &[Vector<'_>], client: ClientFormat, tokens: u64) -> Result<Vec<u8>, Failure> {
    let mut out = Vec::new();
    for vector in vectors {
        out.extend_from_slice(if out.is_empty() { b"" } else { b"," });
        out.extend_from_slice(br#"{"values":"#);
        vector.write(Encoding::Float, &mut out)?;
        out.push(b'}');
    }
    let usage = format!(r#","usageMetadata":{{"promptTokenCount":{tokens}}}}}"#);
    Ok(match client {
        ClientFormat::BatchEmbedContents => [
            br#"{"embeddings":["#,
            out.as_slice(),
            b"]",
            usage.as_bytes(),
        ]
        .concat(),
        _ => [br#"{"embedding":"#, out.as_slice(), usage.as_bytes()].concat(),
    })
}
