//! The members of a request's body while it is written, in their order. They are few, and written
//! out as soon as all are there, so that they need no map.

use serde_json::Value;

use super::spelling;
use crate::canonical::Extra;
use crate::json::{self, ToJson};

/// The members so far.
#[derive(Default)]
pub struct Body<'a>(Vec<(&'a str, Value)>);

impl<'a> Body<'a> {
    /// Sets a member; one of that name keeps its place.
    pub fn insert(&mut self, key: &'a str, value: Value) {
        match self.0.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.0.push((key, value)),
        }
    }

    /// Sets a member where there is a value for it.
    pub fn put(&mut self, key: &'a str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.insert(key, value.into());
        }
    }

    /// Adds the wire fields of `extra` that are not there yet, but for those that were weighed before.
    pub fn add_extra_except(&mut self, extra: &'a Extra, weighed: &[&str]) {
        let own = self.0.len();
        for (key, value) in extra {
            let is_there = self.0[..own].iter().any(|(known, _)| known == key);
            if spelling::is_wire(key) && !weighed.contains(&key.as_str()) && !is_there {
                self.0.push((key, value.clone()));
            }
        }
    }

    /// Writes the members, each after a comma.
    pub fn write_after(&self, out: &mut Vec<u8>) {
        for (key, value) in &self.0 {
            out.push(b',');
            json::write_str(out, key);
            out.push(b':');
            value.write_json(out);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_keep_their_places_and_what_was_put_stands() {
        let Value::Object(extra) = json!({"b": 0, "c": 3, "#mark": true, "d": 4}) else {
            panic!("an object")
        };
        let mut body = Body::default();
        body.insert("a", json!(0));
        body.put("b", Some(2));
        body.put("e", None::<u64>);
        body.insert("a", json!(1));
        body.add_extra_except(&extra, &["d"]);
        let mut out = Vec::new();
        body.write_after(&mut out);
        assert_eq!(out, br#","a":1,"b":2,"c":3"#);
    }
}
