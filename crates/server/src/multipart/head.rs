//! The head of one part of a form.

use super::parameters::Parameters;

/// What a part says of itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartHead {
    /// The field's name.
    pub name: String,
    /// The file's name, where it is a file.
    pub file_name: Option<String>,
    /// Its media type.
    pub content_type: Option<String>,
}

impl PartHead {
    /// A field that is text.
    pub fn text(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            ..Self::default()
        }
    }

    /// Whether it is a file.
    pub fn is_file(&self) -> bool {
        self.file_name.is_some()
    }

    /// Reads a part's header lines. Returns `None` if they do not name a field in a way that all programs read alike.
    pub fn read(lines: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(lines);
        let mut head = Self::default();
        let (mut is_named, mut has_type) = (false, false);
        for line in text.split("\r\n").filter(|line| !line.is_empty()) {
            let (name, value) = line.split_once(':')?;
            // No line continues the one before, and none contains another.
            if name.is_empty() || name.contains([' ', '\t']) || line.contains(['\r', '\n', '\0']) {
                return None;
            }
            let value = value.trim_ascii();
            match name.to_ascii_lowercase().as_str() {
                "content-disposition" if !is_named => {
                    (head.name, head.file_name) = names(value)?;
                    is_named = true;
                }
                "content-type" if !has_type => {
                    head.content_type = Some(value.to_owned());
                    has_type = true;
                }
                "content-disposition" | "content-type" => return None,
                "content-transfer-encoding" if !is_identity(value) => return None,
                _ => {}
            }
        }
        is_named.then_some(head)
    }

    /// Writes the header lines and the blank line after them. Nothing in a name can end the line or
    /// the quotation.
    pub fn write(&self, out: &mut Vec<u8>) {
        let quoted = |text: &str| {
            let text = text.replace(['\r', '\n'], "");
            text.replace('\\', "_").replace('"', "%22")
        };
        let mut line = format!(
            "Content-Disposition: form-data; name=\"{}\"",
            quoted(&self.name)
        );
        if let Some(file) = &self.file_name {
            line.push_str("; filename=\"");
            line.push_str(&quoted(last_segment(file)));
            line.push('"');
        }
        line.push_str("\r\n");
        if let Some(kind) = &self.content_type {
            line.push_str("Content-Type: ");
            line.push_str(&kind.replace(['\r', '\n'], ""));
            line.push_str("\r\n");
        }
        line.push_str("\r\n");
        out.extend_from_slice(line.as_bytes());
    }
}

/// Returns the names of a field and of its file.
fn names(disposition: &str) -> Option<(String, Option<String>)> {
    let (kind, parameters) = Parameters::read(disposition).ok()?;
    let is_extended = |name: &str| name.contains('*') && name != "filename*";
    if kind != "form-data" || parameters.names().any(is_extended) {
        return None;
    }
    let file = match parameters.get("filename*") {
        // A file's name that is not plain ASCII. It stays as it is spelled: vendors read how it ends.
        Some(spelled) => {
            let mut parts = spelled.splitn(3, '\'');
            let (_, _, spelled) = (parts.next()?, parts.next()?, parts.next()?);
            Some(parameters.get("filename").unwrap_or(spelled))
        }
        None => parameters.get("filename"),
    };
    let file = file.map(str::to_owned);
    Some((field_name(parameters.get("name")?)?, file))
}

/// Returns the name of a field without the escapes of browsers. Other escapes have no meaning that all programs agree on.
fn field_name(text: &str) -> Option<String> {
    let name = text.replace("%22", "\"");
    let is_ambiguous = |character: char| {
        character.is_control() || matches!(character, '\\' | '%' | char::REPLACEMENT_CHARACTER)
    };
    let is_clear = !name.is_empty() && !name.contains(is_ambiguous) && name.trim() == name;
    is_clear.then_some(name)
}

/// Reports whether a transfer encoding leaves the data as it is.
fn is_identity(encoding: &str) -> bool {
    let known = ["7bit", "8bit", "binary"];
    known
        .iter()
        .any(|known| encoding.eq_ignore_ascii_case(known))
}

/// A file's name without the folders that some clients send.
fn last_segment(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}
