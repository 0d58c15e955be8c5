//! The reserved key under which this dialect keeps what belongs to an item and not to a part, and
//! the merging of kept fields into what is written. A client's own field of that name is ignored.

use serde_json::{Map, Value};

/// In `Part::extra`: the fields of the item that begins with this part (`id`, `status`, `phase`,
/// …). In a reply every output item is one or more parts of choice 0; the first of them carries
/// this key, a text part without it goes on with the message before it. In `Request::system` it
/// stands on the first part of each leading system or developer message; there `position` is the
/// number of turns that come before it. In `Turn::extra` it holds `"input"` where the whole input
/// was one bare string, and in `Tool::extra` it tells where the tool was declared.
pub const ITEM: &str = "modelgate.item";

/// What `ITEM` holds on a turn that was the whole input as one bare string.
pub(super) const BARE_INPUT: &str = "input";

/// What `ITEM` holds on a tool that an input item declared: the item itself repeats it.
pub(super) const DECLARED_IN_INPUT: &str = "input";

/// Adds what is missing, object by object; what is there already stays.
pub(super) fn merge_missing(target: &mut Map<String, Value>, more: &Map<String, Value>) {
    for (key, value) in more {
        if key == ITEM {
            continue;
        }
        match (target.get_mut(key), value) {
            (Some(Value::Object(inner)), Value::Object(value)) => merge_missing(inner, value),
            (Some(_), _) => {}
            (None, _) => {
                target.insert(key.clone(), value.clone());
            }
        }
    }
}

/// Takes over kept fields, replacing what is there.
pub(super) fn overlay(target: &mut Map<String, Value>, kept: &Map<String, Value>) {
    for (key, value) in kept {
        if key != ITEM {
            target.insert(key.clone(), value.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn merging_fills_gaps_and_changes_nothing_that_is_there() {
        let Value::Object(mut target) = json!({"a": 1, "o": {"x": 1}}) else {
            unreachable!()
        };
        let Value::Object(more) = json!({"a": 2, "b": 3, "o": {"x": 9, "y": 2}, ITEM: 1}) else {
            unreachable!()
        };
        merge_missing(&mut target, &more);
        assert_eq!(
            Value::Object(target),
            json!({"a": 1, "o": {"x": 1, "y": 2}, "b": 3})
        );
    }
}
