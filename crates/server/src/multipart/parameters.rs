//! Parameters of a header, as in `form-data; name="a"; filename="b"`. What programs read differently is rejected: repeated
//! names, quotes that do not end, and text beside a quoted value.

/// Parameters that cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct BadParameters;

/// The parameters of a header.
#[derive(Debug, Default)]
pub(super) struct Parameters(Vec<(String, String)>);

impl Parameters {
    /// Reads the value of a header. Returns what comes before the first semicolon, in lower case, and the parameters.
    pub(super) fn read(value: &str) -> Result<(String, Self), BadParameters> {
        let (kind, mut rest) = value.split_once(';').unwrap_or((value, ""));
        let mut parameters = Self::default();
        while !rest.trim_ascii().is_empty() {
            let (name, after) = rest.split_once('=').ok_or(BadParameters)?;
            let name = name.trim_ascii().to_ascii_lowercase();
            let (text, left) = value_of(after)?;
            if !is_token(&name) || parameters.get(&name).is_some() {
                return Err(BadParameters);
            }
            parameters.0.push((name, text));
            rest = match left.trim_ascii_start().strip_prefix(';') {
                Some(left) => left,
                None if left.trim_ascii().is_empty() => "",
                None => return Err(BadParameters),
            };
        }
        Ok((kind.trim_ascii().to_ascii_lowercase(), parameters))
    }

    /// Returns the value of a parameter.
    pub(super) fn get(&self, name: &str) -> Option<&str> {
        let mut found = self.0.iter().filter(|(known, _)| known == name);
        found.next().map(|(_, value)| value.as_str())
    }

    /// Returns the names of all parameters.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| name.as_str())
    }
}

fn is_token(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !text.is_empty() && text.bytes().all(is_part)
}

/// Returns a value, and what follows it.
fn value_of(text: &str) -> Result<(String, &str), BadParameters> {
    let text = text.trim_ascii_start();
    let Some(quoted) = text.strip_prefix('"') else {
        let (value, left) = text.split_at(text.find(';').unwrap_or(text.len()));
        let value = value.trim_ascii();
        // Some clients send the names of files without quotes, with spaces in them.
        let is_plain = !value.is_empty() && !value.contains(['"', '\\', ',']);
        return is_plain
            .then(|| (value.to_owned(), left))
            .ok_or(BadParameters);
    };
    let mut value = String::new();
    let mut characters = quoted.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Ok((value, &quoted[at + 1..])),
            // A backslash escapes a quote and nothing else: some clients send paths.
            '\\' if quoted[at + 1..].starts_with('"') => {
                characters.next();
                value.push('"');
            }
            character => value.push(character),
        }
    }
    Err(BadParameters)
}
