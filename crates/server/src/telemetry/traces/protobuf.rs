//! Writes protobuf's wire format: the four kinds of fields that OTLP's traces have. What the fields
//! mean is not known here.

/// A message in the making.
#[derive(Debug, Default)]
pub(super) struct Message(Vec<u8>);

const VARINT: u32 = 0;
const FIXED_64: u32 = 1;
const LENGTH: u32 = 2;

impl Message {
    /// A number or an enum; the default is left out.
    pub(super) fn number(&mut self, field: u32, value: u64) {
        if value != 0 {
            self.key(field, VARINT);
            self.varint(value);
        }
    }

    /// A number that is written even where it is the default, as choices need it.
    pub(super) fn choice(&mut self, field: u32, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    /// Eight bytes.
    pub(super) fn fixed_64(&mut self, field: u32, value: u64) {
        self.key(field, FIXED_64);
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    /// Bytes or a text.
    pub(super) fn bytes(&mut self, field: u32, value: &[u8]) {
        self.key(field, LENGTH);
        self.varint(value.len() as u64);
        self.0.extend_from_slice(value);
    }

    /// A message inside.
    pub(super) fn message(&mut self, field: u32, write: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        write(&mut inner);
        self.bytes(field, &inner.0);
    }

    pub(super) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn key(&mut self, field: u32, kind: u32) {
        self.varint(u64::from(field << 3 | kind));
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.0.push((value & 0x7f) as u8);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_written_as_the_format_says() {
        let mut message = Message::default();
        message.number(1, 150);
        message.number(2, 0);
        message.choice(2, 0);
        message.bytes(3, b"testing");
        message.message(4, |inner| inner.number(1, 1));
        message.fixed_64(5, 1);
        let expected = [
            &[0x08, 0x96, 0x01][..],
            &[0x10, 0x00],
            &[0x1a, 0x07],
            b"testing",
            &[0x22, 0x02, 0x08, 0x01],
            &[0x29, 1, 0, 0, 0, 0, 0, 0, 0],
        ];
        assert_eq!(message.into_bytes(), expected.concat());
    }
}
