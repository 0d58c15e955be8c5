//! Fields that only this dialect knows: kept beside the canonical form, laid back around what is
//! written for the same dialect.

use serde_json::{Map, Value};

use crate::canonical::{Extra, Failure};

/// Lays kept fields back; what was written stands, objects are joined member by member.
pub(super) fn restore(into: &mut Map<String, Value>, extra: &Extra) {
    for (key, kept) in extra {
        match (into.get_mut(key), kept) {
            (None, _) => {
                into.insert(key.clone(), kept.clone());
            }
            (Some(Value::Object(written)), Value::Object(kept)) => restore(written, kept),
            _ => {}
        }
    }
}

/// Keeps what is left of an object after its known members were taken out, if anything is.
pub(super) fn keep_rest(extra: &mut Extra, key: &str, rest: Map<String, Value>) {
    if !rest.is_empty() {
        extra.insert(key.to_owned(), Value::Object(rest));
    }
}

/// Says where in the body a failure's field stands.
pub(super) fn within(mut failure: Failure, place: &str) -> Failure {
    failure.param = Some(match failure.param.as_deref() {
        None | Some("") => place.to_owned(),
        Some(param) => format!("{place}.{param}"),
    });
    failure
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn kept_members_join_written_objects_and_never_replace_them() {
        let Value::Object(mut body) = json!({"a": 1, "o": {"x": 1}}) else {
            panic!("an object")
        };
        let Value::Object(kept) = json!({"a": 2, "b": 3, "o": {"x": 9, "y": 2}}) else {
            panic!("an object")
        };
        restore(&mut body, &kept);
        assert_eq!(
            Value::Object(body),
            json!({"a": 1, "b": 3, "o": {"x": 1, "y": 2}})
        );
    }

    #[test]
    fn a_failure_names_the_whole_path() {
        let failure = within(Failure::bad_request("text", "x"), "content.0");
        let failure = within(failure, "messages.1");
        assert_eq!(failure.param.as_deref(), Some("messages.1.content.0.text"));
    }
}
