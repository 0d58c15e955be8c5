//! Test bodies with something odd in them, at random but the same each time.

use std::panic::AssertUnwindSafe;

use serde_json::{Value, json};

/// A small generator of numbers, seeded.
pub struct Dice(pub u64);

impl Dice {
    /// A number below `sides`.
    pub fn throw(&mut self, sides: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % (sides.max(1) as u64)).unwrap_or_default()
    }

    /// Changes a byte and cuts the end off.
    pub fn spoil_bytes(&mut self, bytes: &mut Vec<u8>) {
        let index = self.throw(bytes.len());
        if let Some(byte) = bytes.get_mut(index) {
            *byte = u8::try_from(self.throw(256)).unwrap_or_default();
        }
        let cut = self.throw(bytes.len() / 2);
        bytes.truncate(bytes.len() - cut);
    }

    /// Puts something odd at a random place, or takes something away.
    pub fn spoil(&mut self, value: &mut Value) {
        match value {
            Value::Object(map) if !map.is_empty() && self.throw(5) > 0 => {
                let index = self.throw(map.len());
                if self.throw(12) == 0 {
                    let key = map.keys().nth(index).cloned().unwrap_or_default();
                    map.shift_remove(&key);
                } else if let Some(inner) = map.values_mut().nth(index) {
                    self.spoil(inner);
                }
            }
            Value::Array(list) if !list.is_empty() && self.throw(5) > 0 => {
                let index = self.throw(list.len());
                self.spoil(&mut list[index]);
            }
            other => *other = self.oddity(),
        }
    }

    fn oddity(&mut self) -> Value {
        let odd = [
            Value::Null,
            json!(0),
            json!(-1.5),
            json!(1e300),
            json!(""),
            json!("x"),
            json!("\u{0}\"\\ 🚢"),
            json!(true),
            json!([]),
            json!({}),
            json!([null, {"text": 1}]),
            json!([[], [1e60]]),
        ];
        odd[self.throw(odd.len())].clone()
    }
}

/// The fixtures of one operation whose names begin so, with their names.
pub fn fixtures(folder: &str, start: &str) -> Vec<(String, Vec<u8>)> {
    let folder = format!("{}/fixtures/{folder}", env!("CARGO_MANIFEST_DIR"));
    let files = std::fs::read_dir(folder).expect("fixtures").flatten();
    let mut found: Vec<_> = files
        .map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (name, file.path())
        })
        .filter(|(name, _)| name.starts_with(start))
        .map(|(name, path)| (name, std::fs::read(path).expect("a fixture")))
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no fixture begins with {start}");
    found
}

/// One fixture.
pub fn fixture(folder: &str, name: &str) -> Vec<u8> {
    let path = format!("{}/fixtures/{folder}/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path).expect("a fixture")
}

/// Runs a check over spoiled copies of the fixtures, as JSON and as bytes; names the body that
/// breaks it.
pub fn spoiled(folder: &str, start: &str, check: impl Fn(&[u8])) {
    let mut dice = Dice(0x5eed);
    let run = |body: &[u8]| {
        let run = std::panic::catch_unwind(AssertUnwindSafe(|| check(body)));
        assert!(run.is_ok(), "{}", String::from_utf8_lossy(body));
    };
    for (_, body) in fixtures(folder, start) {
        run(&body);
        for _ in 0..60 {
            let mut bytes = body.clone();
            dice.spoil_bytes(&mut bytes);
            run(&bytes);
        }
        let Ok(whole) = serde_json::from_slice::<Value>(&body) else {
            continue;
        };
        for _ in 0..100 {
            let mut value = whole.clone();
            for _ in 0..=dice.throw(3) {
                dice.spoil(&mut value);
            }
            run(&serde_json::to_vec(&value).expect("JSON"));
        }
    }
}
