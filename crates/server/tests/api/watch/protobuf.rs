//! Reads protobuf's wire format without knowing any message: a collector's first step, written
//! apart from what the service writes it with.

/// The value of a field.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    Number(u64),
    Fixed(u64),
    Bytes(Vec<u8>),
}

/// A message: its fields in order.
#[derive(Debug, Clone, PartialEq)]
pub struct Message(Vec<(u64, Value)>);

impl Message {
    /// Reads a whole message; anything left over or cut off is a failed test.
    pub fn read(bytes: &[u8]) -> Self {
        let mut at = 0;
        let mut fields = Vec::new();
        while at < bytes.len() {
            let key = varint(bytes, &mut at);
            let value = match key & 7 {
                0 => Value::Number(varint(bytes, &mut at)),
                1 => {
                    let eight = bytes[at..at + 8].try_into().expect("eight bytes");
                    at += 8;
                    Value::Fixed(u64::from_le_bytes(eight))
                }
                2 => {
                    let length = usize::try_from(varint(bytes, &mut at)).expect("a length");
                    let content = bytes[at..at + length].to_vec();
                    at += length;
                    Value::Bytes(content)
                }
                other => panic!("wire type {other} is not used in traces"),
            };
            fields.push((key >> 3, value));
        }
        Self(fields)
    }

    /// Every value of a field.
    pub fn all(&self, field: u64) -> impl Iterator<Item = &Value> {
        let found = self.0.iter().filter(move |(number, _)| *number == field);
        found.map(|(_, value)| value)
    }

    /// Every message in a field.
    pub fn messages(&self, field: u64) -> Vec<Self> {
        let bytes = |value: &Value| match value {
            Value::Bytes(bytes) => Self::read(bytes),
            other => panic!("{other:?} is no message"),
        };
        self.all(field).map(bytes).collect()
    }

    /// The bytes of a field; empty where it is absent.
    pub fn bytes(&self, field: u64) -> Vec<u8> {
        match self.all(field).next() {
            Some(Value::Bytes(bytes)) => bytes.clone(),
            None => Vec::new(),
            Some(other) => panic!("{other:?} is no text"),
        }
    }

    /// The text of a field.
    pub fn text(&self, field: u64) -> String {
        String::from_utf8(self.bytes(field)).expect("text")
    }

    /// The number of a field; 0 where it is absent.
    pub fn number(&self, field: u64) -> u64 {
        match self.all(field).next() {
            Some(Value::Number(number) | Value::Fixed(number)) => *number,
            None => 0,
            Some(other) => panic!("{other:?} is no number"),
        }
    }
}

fn varint(bytes: &[u8], at: &mut usize) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = bytes[*at];
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
