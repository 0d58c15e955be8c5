//! `/docs`: the description of the interface as a page. Made from the document when it is first asked
//! for; it needs no script and nothing from elsewhere, so it can be read offline.

use std::fmt::Write as _;
use std::sync::LazyLock;

use axum::response::{Html, IntoResponse, Response};
use serde_json::Value;

use super::reference::DOCUMENT;

static PAGE: LazyLock<String> = LazyLock::new(|| render(&DOCUMENT));

const HEAD: &str = include_str!("page_head.html");

/// `GET /docs`.
pub async fn page() -> Response {
    Html(PAGE.as_str()).into_response()
}

fn render(document: &Value) -> String {
    let mut page = Page {
        html: HEAD.to_owned(),
    };
    let about = text(&document["info"]["description"]);
    page.add(format_args!("<p>{}</p>", code_marks(&escape(about))));
    page.contents(document);
    let mut last_tag = "";
    for (path, methods) in fields(&document["paths"]) {
        for (method, operation) in fields(methods) {
            let tag = text(&operation["tags"][0]);
            if tag != last_tag {
                page.add(format_args!("<h2 id=\"{0}\">{0}</h2>\n", escape(tag)));
                last_tag = tag;
            }
            page.operation(method, path, operation);
        }
    }
    page.html.push_str("<h2 id=\"types\">Types</h2>\n");
    for (name, schema) in fields(&document["components"]["schemas"]) {
        page.add(format_args!("<h3 id=\"type-{0}\">{0}</h3>\n", escape(name)));
        page.schema(schema);
    }
    page.html.push_str("</main></body></html>\n");
    page.html
}

struct Page {
    html: String,
}

impl Page {
    fn add(&mut self, text: std::fmt::Arguments<'_>) {
        // Writing to a string cannot fail.
        let _ = self.html.write_fmt(text);
    }

    fn contents(&mut self, document: &Value) {
        let mut tags: Vec<&str> = Vec::new();
        for (_, methods) in fields(&document["paths"]) {
            for (_, operation) in fields(methods) {
                let tag = text(&operation["tags"][0]);
                if !tags.contains(&tag) {
                    tags.push(tag);
                }
            }
        }
        self.html.push_str("<nav aria-label=\"Contents\">");
        for tag in tags.iter().chain(&["types"]) {
            self.add(format_args!("<a href=\"#{0}\">{0}</a> ", escape(tag)));
        }
        self.html.push_str("</nav>\n");
    }

    fn operation(&mut self, method: &str, path: &str, operation: &Value) {
        self.add(format_args!(
            "<details id=\"{}\"><summary><b class=\"{method}\">{}</b> <code>{}</code> {} \
             <i>{}</i></summary>\n",
            escape(text(&operation["operationId"])),
            method.to_ascii_uppercase(),
            escape(path),
            escape(text(&operation["summary"])),
            escape(text(&operation["x-level"])),
        ));
        let details = text(&operation["description"]);
        if !details.is_empty() {
            self.add(format_args!("<p>{}</p>\n", code_marks(&escape(details))));
        }
        self.parameters(&operation["parameters"]);
        for (media, described) in fields(&operation["requestBody"]["content"]) {
            if !described["schema"].is_null() {
                self.add(format_args!("<h4>Body: {}</h4>\n", escape(media)));
                self.schema(&described["schema"]);
            }
        }
        self.reply(&operation["responses"]["200"]["content"]);
        self.html.push_str("</details>\n");
    }

    fn parameters(&mut self, parameters: &Value) {
        let Some(parameters) = parameters.as_array() else {
            return;
        };
        self.html.push_str("<h4>Parameters</h4>\n<table>\n");
        for parameter in parameters {
            self.row(
                text(&parameter["name"]),
                &kind(&parameter["schema"]),
                parameter["required"] == true,
                text(&parameter["description"]),
            );
        }
        self.html.push_str("</table>\n");
    }

    fn reply(&mut self, content: &Value) {
        for (media, described) in fields(content) {
            let data = &described["schema"]["properties"]["data"];
            if data.is_null() {
                self.add(format_args!("<h4>Reply: {}</h4>\n", escape(media)));
                if !described["schema"].is_null() {
                    self.schema(&described["schema"]);
                }
            } else {
                self.html.push_str("<h4>Data of the reply</h4>\n");
                self.schema(data);
            }
        }
    }

    /// The fields of an object, or in a word what else it is.
    fn schema(&mut self, schema: &Value) {
        let description = text(&schema["description"]);
        if !description.is_empty() {
            self.add(format_args!(
                "<p>{}</p>\n",
                code_marks(&escape(description))
            ));
        }
        let properties = fields(&schema["properties"]);
        if properties.is_empty() {
            self.add(format_args!("<p>{}</p>\n", kind(schema)));
            return;
        }
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        self.html.push_str("<table>\n");
        for (name, property) in properties {
            let is_required = required.iter().any(|required| required == name);
            let description = text(&property["description"]);
            self.row(name, &kind(property), is_required, description);
        }
        self.html.push_str("</table>\n");
    }

    fn row(&mut self, name: &str, kind: &str, is_required: bool, description: &str) {
        let required = if is_required { "required" } else { "" };
        self.add(format_args!(
            "<tr><td><code>{}</code></td><td>{kind}</td><td>{required}</td><td>{}</td></tr>\n",
            escape(name),
            code_marks(&escape(description)),
        ));
    }
}

/// A schema in a few words, with links to what it refers to.
fn kind(schema: &Value) -> String {
    if let Some(reference) = schema["$ref"].as_str() {
        let name = escape(reference.rsplit('/').next().unwrap_or_default());
        return format!("<a href=\"#type-{name}\">{name}</a>");
    }
    for list in ["anyOf", "oneOf"] {
        if let Some(options) = schema[list].as_array() {
            return options.iter().map(kind).collect::<Vec<_>>().join(" or ");
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        let values = values.iter().map(|value| escape(&value.to_string()));
        return values.collect::<Vec<_>>().join(", ");
    }
    match &schema["type"] {
        Value::String(name) if name == "array" => format!("list of {}", kind(&schema["items"])),
        Value::String(name) => escape(name),
        Value::Array(names) => {
            let names = names.iter().map(|name| escape(text(name)));
            names.collect::<Vec<_>>().join(" or ")
        }
        _ => "anything".to_owned(),
    }
}

fn fields(value: &Value) -> Vec<(&String, &Value)> {
    value
        .as_object()
        .map(|fields| fields.iter().collect())
        .unwrap_or_default()
}

fn text(value: &Value) -> &str {
    value.as_str().unwrap_or_default()
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

/// `code` between backticks.
fn code_marks(escaped: &str) -> String {
    let mut html = String::with_capacity(escaped.len());
    for (index, part) in escaped.split('`').enumerate() {
        if index % 2 == 1 {
            html.extend(["<code>", part, "</code>"]);
        } else {
            html.push_str(part);
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_operation_is_on_the_page_and_nothing_comes_from_elsewhere() {
        for (path, methods) in fields(&DOCUMENT["paths"]) {
            for (_, operation) in fields(methods) {
                let id = format!("id=\"{}\"", text(&operation["operationId"]));
                assert!(PAGE.contains(&id), "{path}");
            }
        }
        for foreign in ["http://", "https://", "<script", "src="] {
            assert!(!PAGE.contains(foreign), "{foreign}");
        }
    }

    #[test]
    fn what_the_document_says_is_not_taken_for_html() {
        assert_eq!(
            code_marks(&escape("a <b> `c&d`")),
            "a &lt;b&gt; <code>c&amp;d</code>"
        );
    }
}
