//! The head of one part of a form.

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

    /// Reads a part's header lines; none where they do not name a field.
    pub fn read(lines: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(lines);
        let mut head = Self::default();
        let mut is_named = false;
        for line in text.split("\r\n") {
            let Some((name, value)) = line.split_once(':') else {
                continue;
            };
            if name.trim().eq_ignore_ascii_case("content-disposition") {
                head.name = parameter(value, "name")?;
                head.file_name = parameter(value, "filename").or_else(|| spelled_name(value));
                is_named = true;
            } else if name.trim().eq_ignore_ascii_case("content-type") {
                head.content_type = Some(value.trim().to_owned());
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

/// A file's name that is not plain ASCII, as some clients spell these alone. It stays spelled so: what
/// matters to vendors is how it ends.
fn spelled_name(value: &str) -> Option<String> {
    let spelled = parameter(value, "filename*")?;
    spelled.splitn(3, '\'').last().map(str::to_owned)
}

/// A file's name without the folders that some clients send.
fn last_segment(name: &str) -> &str {
    name.rsplit(['/', '\\']).next().unwrap_or(name)
}

/// A parameter of a header's value, quoted or not.
fn parameter(value: &str, wanted: &str) -> Option<String> {
    let mut rest = value.split_once(';')?.1;
    loop {
        let (name, after) = rest.split_once('=')?;
        let (text, left) = value_of(after.trim_start());
        if name.trim().eq_ignore_ascii_case(wanted) {
            return Some(text);
        }
        rest = left.split_once(';')?.1;
    }
}

/// A value, and what follows it.
fn value_of(text: &str) -> (String, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(';').unwrap_or(text.len());
        return (text[..end].trim().to_owned(), &text[end..]);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return (value, &quoted[at + 1..]),
            // A backslash escapes a quote and nothing else: some clients send paths.
            '\\' if quoted[at + 1..].starts_with('"') => {
                characters.next();
                value.push('"');
            }
            character => value.push(character),
        }
    }
    (value, "")
}
