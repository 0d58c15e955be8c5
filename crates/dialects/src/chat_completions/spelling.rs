//! Marks in `extra` that remember how a client spelled something which the canonical form holds in
//! fewer words, so that the same dialect can be written back alike. A spelling is only used again
//! while it still means what the canonical value says.

use serde_json::{Map, Value};

use crate::canonical::Extra;
use crate::json::same;

/// What begins the name of a mark; no wire field begins so.
const MARK: char = '#';

/// The part as it was sent, where it would be written otherwise.
pub const AS_SENT: &str = "#as_sent";
/// The message that a leading system part opens, without its content.
pub const MESSAGE: &str = "#message";
/// On a `#message`: its content was a bare string.
pub const BARE: &str = "#bare";
/// The field that a thinking or refusal part came in.
pub const FIELD: &str = "#field";
/// The exact role of a message.
pub const ROLE: &str = "#role";
/// A call's arguments as they were sent.
pub const ARGUMENTS: &str = "#arguments";
/// A tool, call or result of the deprecated function interface.
pub const OLD_FUNCTION: &str = "#old_function";

/// Keeps the original of a field where writing its meaning would not give it again.
pub fn keep(extra: &mut Extra, key: &str, original: Value, written: Option<&Value>) {
    if !written.is_some_and(|written| same(written, &original)) {
        extra.insert(key.to_owned(), original);
    }
}

/// The original of a field, as long as reading it still gives `current`.
pub fn original<T: PartialEq>(
    extra: &Extra,
    key: &str,
    current: &T,
    read: impl FnOnce(&Value) -> Option<T>,
) -> Option<Value> {
    let original = extra.get(key)?;
    (read(original).as_ref() == Some(current)).then(|| original.clone())
}

/// Whether this is the name of a wire field and not of a mark.
pub fn is_wire(key: &str) -> bool {
    !key.starts_with(MARK)
}

/// Adds the wire fields of `extra` that are not in the object yet.
pub fn add_extra(map: &mut Map<String, Value>, extra: &Extra) {
    for (key, value) in extra {
        if is_wire(key) && !map.contains_key(key) {
            map.insert(key.clone(), value.clone());
        }
    }
}

/// Sets a mark that needs no value.
pub fn mark(extra: &mut Extra, key: &str) {
    extra.insert(key.to_owned(), Value::Bool(true));
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn marks_never_reach_the_wire() {
        let mut extra = Extra::new();
        mark(&mut extra, OLD_FUNCTION);
        extra.insert("kept".into(), json!(1));
        let mut map = Map::new();
        add_extra(&mut map, &extra);
        assert_eq!(Value::Object(map), json!({"kept":1}));
    }
}
