//! The bodies that go to an upstream: one, or several where it takes fewer inputs a call. One that
//! fails fails the client's whole request: there are no partial answers.

use serde_json::{Map, Value, json};

use super::purpose;
use super::{ClientFormat, Encoding, Input, Purpose, Request, Shape};
use crate::canonical::Failure;
use crate::fields::{Fields, quoted};
use crate::json;

/// What goes to the upstream for one client's request.
#[derive(Debug, Clone, PartialEq)]
pub struct Calls {
    /// The calls, in the order of the inputs.
    pub calls: Vec<Call>,
    /// Names of what could not be said, for the header `x-modelgate-dropped`.
    pub dropped: Vec<String>,
}

/// One call of an upstream.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The body.
    pub body: Vec<u8>,
    /// How many vectors it asks for.
    pub inputs: usize,
    /// The method behind the model's name in the path, for shapes of Google.
    pub method: &'static str,
}

/// Writes the calls. `body` is the client's own body: where the upstream speaks the client's format,
/// it goes through with another model's name in it.
pub fn write_calls(
    request: &Request,
    body: &[u8],
    shape: Shape,
    model: &str,
) -> Result<Calls, Failure> {
    if let Some(call) = forward(request, body, shape, model)? {
        return Ok(Calls {
            calls: vec![call],
            dropped: Vec::new(),
        });
    }
    let texts = texts(request, shape)?;
    if let Some(reason) = request.own_format_only {
        return Err(Failure::unsupported("requests", reason));
    }
    let mut writer = Writer {
        request,
        shape,
        model,
        dropped: Vec::new(),
    };
    let calls = texts
        .chunks(shape.max_inputs(model).max(1))
        .map(|texts| Call {
            body: json::text(&writer.body(texts)).into_bytes(),
            inputs: texts.len(),
            method: method(shape),
        })
        .collect();
    let mut dropped = writer.dropped;
    dropped.sort();
    dropped.dedup();
    Ok(Calls { calls, dropped })
}

fn method(shape: Shape) -> &'static str {
    match shape {
        Shape::Google => "batchEmbedContents",
        Shape::GoogleSingle => "embedContent",
        Shape::VertexPredict => "predict",
        _ => "",
    }
}

/// The client's own body, where the upstream speaks its format.
fn forward(
    request: &Request,
    body: &[u8],
    shape: Shape,
    model: &str,
) -> Result<Option<Call>, Failure> {
    let fields = Fields::read(body)?;
    let (body, method) = match (request.client, shape) {
        (ClientFormat::OpenAi, Shape::OpenAi) => (fields.with_model(model), ""),
        (ClientFormat::EmbedContent, shape) if shape.is_google() => {
            let body = match fields.raw("model") {
                Some(_) => fields.with(&[("model", quoted(&resource(model)))]),
                None => body.to_vec(),
            };
            (body, "embedContent")
        }
        (ClientFormat::BatchEmbedContents, Shape::Google) => {
            (forward_batch(&fields, model)?, "batchEmbedContents")
        }
        _ => return Ok(None),
    };
    Ok(Some(Call {
        body,
        inputs: request.input.len(),
        method,
    }))
}

/// Every request of a batch names its model again.
fn forward_batch(fields: &Fields<'_>, model: &str) -> Result<Vec<u8>, Failure> {
    let requests: Vec<&serde_json::value::RawValue> =
        fields.parsed("requests", "a list")?.unwrap_or_default();
    let name = quoted(&resource(model));
    let mut list = Vec::new();
    for raw in requests {
        list.push(if list.is_empty() { b'[' } else { b',' });
        list.extend(Fields::of(raw, "requests")?.with(&[("model", name.clone())]));
    }
    list.push(b']');
    let list = String::from_utf8(list).map_err(|_| Failure::bad_request("requests", "No text."))?;
    Ok(fields.with(&[("requests", list)]))
}

/// A model's name as Google's bodies have it.
fn resource(model: &str) -> String {
    if model.contains('/') {
        model.to_owned()
    } else {
        format!("models/{model}")
    }
}

/// The inputs as JSON; refused where the upstream has no such thing.
fn texts(request: &Request, shape: Shape) -> Result<Vec<Value>, Failure> {
    match &request.input {
        Input::Texts(texts) => Ok(texts.iter().map(|text| json!(text)).collect()),
        Input::Tokens(_) => Err(Failure::unsupported(
            "input",
            "Token arrays are not supported by this model: send text.",
        )),
        Input::Objects(items) if shape == Shape::Jina => Ok(items.clone()),
        Input::Objects(items) => items
            .iter()
            .map(|item| {
                let text = item.get("text").filter(|text| text.is_string());
                text.cloned()
                    .ok_or_else(|| Failure::unsupported("input", "This model embeds text alone."))
            })
            .collect(),
    }
}

struct Writer<'a> {
    request: &'a Request,
    shape: Shape,
    model: &'a str,
    dropped: Vec<String>,
}

impl Writer<'_> {
    fn body(&mut self, texts: &[Value]) -> Value {
        let mut body = match self.shape {
            Shape::OpenAi => self.openai(texts),
            Shape::Google => {
                let requests: Vec<Value> = texts.iter().map(|text| self.content(text)).collect();
                return json!({ "requests": requests });
            }
            Shape::GoogleSingle => {
                let mut body = self.content(texts.first().unwrap_or(&Value::Null));
                if let Some(map) = body.as_object_mut() {
                    map.shift_remove("model");
                }
                return body;
            }
            Shape::VertexPredict => return self.predict(texts),
            Shape::Cohere => self.cohere(texts),
            Shape::Jina => self.jina(texts),
            Shape::Voyage => self.voyage(texts),
            Shape::Ollama => map(json!({"model": self.model, "input": texts})),
            Shape::Tei => map(json!({"inputs": texts})),
            Shape::Titan => map(json!({"inputText": texts.first()})),
        };
        if matches!(self.shape, Shape::Ollama | Shape::Tei | Shape::Titan) {
            self.dimensions("dimensions", &mut body);
        }
        self.copy_extra(&mut body);
        Value::Object(body)
    }

    /// Only for clients of another format: our own goes through as it is.
    fn openai(&mut self, texts: &[Value]) -> Map<String, Value> {
        let mut body = map(json!({"model": self.model, "input": texts}));
        self.dimensions("dimensions", &mut body);
        body.insert("encoding_format".to_owned(), json!("float"));
        body
    }

    /// One content a text: several texts in one content would become one vector.
    fn content(&mut self, text: &Value) -> Value {
        let mut body = map(json!({
            "model": resource(self.model),
            "content": {"parts": [{"text": text}]},
        }));
        if let Some(word) = self.purpose() {
            body.insert("taskType".to_owned(), json!(word));
        }
        self.dimensions("outputDimensionality", &mut body);
        if self.request.purpose != Some(Purpose::Document)
            && self.request.extra.contains_key("title")
        {
            self.dropped.push("title".to_owned());
            self.drop_unknown(&["title"]);
        } else {
            self.copy_extra(&mut body);
        }
        Value::Object(body)
    }

    fn predict(&mut self, texts: &[Value]) -> Value {
        let word = self.purpose();
        let instances: Vec<Value> = texts
            .iter()
            .map(|text| {
                let mut instance = map(json!({ "content": text }));
                if let Some(word) = word {
                    instance.insert("task_type".to_owned(), json!(word));
                }
                if self.request.purpose == Some(Purpose::Document) {
                    self.copy_extra(&mut instance);
                } else {
                    self.drop_unknown(&[]);
                }
                Value::Object(instance)
            })
            .collect();
        let mut body = map(json!({ "instances": instances }));
        if let Some(dimensions) = self.request.dimensions {
            body.insert(
                "parameters".to_owned(),
                json!({ "outputDimensionality": dimensions }),
            );
        }
        Value::Object(body)
    }

    fn cohere(&mut self, texts: &[Value]) -> Map<String, Value> {
        let mut body = map(json!({"model": self.model, "texts": texts}));
        let word = match self.request.extra.get("input_type") {
            // A word that is no purpose of ours may be one of the vendor's.
            Some(word) if self.request.purpose.is_none() => word.clone(),
            _ => json!(self.purpose().unwrap_or("search_document")),
        };
        body.insert("input_type".to_owned(), word);
        body.insert("embedding_types".to_owned(), json!(["float"]));
        self.dimensions("output_dimension", &mut body);
        body
    }

    fn jina(&mut self, texts: &[Value]) -> Map<String, Value> {
        let mut body = map(json!({"model": self.model, "input": texts}));
        if let Some(word) = self.purpose() {
            body.insert("task".to_owned(), json!(word));
        }
        self.dimensions("dimensions", &mut body);
        if self.request.encoding == Encoding::Base64 {
            body.insert("embedding_type".to_owned(), json!("base64"));
        }
        body
    }

    /// Voyage knows `base64` or nothing as an encoding.
    fn voyage(&mut self, texts: &[Value]) -> Map<String, Value> {
        let mut body = map(json!({"model": self.model, "input": texts}));
        if let Some(word) = self.purpose() {
            body.insert("input_type".to_owned(), json!(word));
        }
        self.dimensions("output_dimension", &mut body);
        if self.request.encoding == Encoding::Base64 {
            body.insert("encoding_format".to_owned(), json!("base64"));
        }
        body
    }

    fn dimensions(&self, name: &str, body: &mut Map<String, Value>) {
        if let Some(dimensions) = self.request.dimensions {
            body.insert(name.to_owned(), json!(dimensions));
        }
    }

    /// The purpose in the upstream's word. The newest models of Google take none.
    fn purpose(&mut self) -> Option<&'static str> {
        let takes_one = !(self.shape.is_google() && self.model.contains("gemini-embedding-2"));
        let purpose = self.request.purpose?;
        let word = purpose.word(self.shape).filter(|_| takes_one);
        if word.is_none() {
            let named = purpose::FIELDS.iter();
            let named = named.filter(|name| self.request.extra.contains_key(**name));
            self.dropped.extend(named.map(|name| (*name).to_owned()));
        }
        word
    }

    /// Fields that the upstream understands go with it, the others are named.
    fn copy_extra(&mut self, body: &mut Map<String, Value>) {
        let own = self.shape.own_fields();
        for (name, value) in &self.request.extra {
            if own.contains(&name.as_str()) && !body.contains_key(name) {
                body.insert(name.clone(), value.clone());
            }
        }
        self.drop_unknown(own);
    }

    fn drop_unknown(&mut self, own: &[&str]) {
        let said = self
            .request
            .purpose
            .is_some_and(|it| it.word(self.shape).is_some());
        for name in self.request.extra.keys() {
            let is_said = said && purpose::FIELDS.contains(&name.as_str());
            if !own.contains(&name.as_str()) && !is_said {
                self.dropped.push(name.clone());
            }
        }
    }
}

fn map(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
