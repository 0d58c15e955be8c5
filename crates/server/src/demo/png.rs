//! A PNG encoder for pictures of few colours: pixels are indices into a palette, and the rows of a
//! drawing repeat, which is all that its compression knows.

/// One picture.
pub(super) struct Picture {
    pub(super) width: usize,
    pub(super) palette: Vec<[u8; 3]>,
    /// Indices into the palette, row by row.
    pub(super) pixels: Vec<u8>,
}

/// Writes a picture.
pub(super) fn encode(picture: &Picture) -> Vec<u8> {
    let height = picture.pixels.len() / picture.width.max(1);
    let mut head = Vec::with_capacity(13);
    head.extend_from_slice(&side(picture.width));
    head.extend_from_slice(&side(height));
    // Eight bits a pixel, by palette; the only compression and filter there are; no interlacing.
    head.extend_from_slice(&[8, 3, 0, 0, 0]);
    let mut rows = Vec::with_capacity(picture.pixels.len() + height);
    for row in picture.pixels.chunks(picture.width.max(1)) {
        rows.push(0);
        rows.extend_from_slice(row);
    }
    let mut out = b"\x89PNG\r\n\x1a\n".to_vec();
    chunk(&mut out, *b"IHDR", &head);
    chunk(&mut out, *b"PLTE", &picture.palette.concat());
    chunk(&mut out, *b"IDAT", &compress(&rows, picture.width + 1));
    chunk(&mut out, *b"IEND", &[]);
    out
}

fn side(length: usize) -> [u8; 4] {
    u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes()
}

fn chunk(out: &mut Vec<u8>, name: [u8; 4], data: &[u8]) {
    out.extend_from_slice(&side(data.len()));
    let start = out.len();
    out.extend_from_slice(&name);
    out.extend_from_slice(data);
    let sum = crc32(&out[start..]);
    out.extend_from_slice(&sum.to_be_bytes());
}

fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32, byte: &u8| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| {
            if sum & 1 == 1 {
                (sum >> 1) ^ 0xedb8_8320
            } else {
                sum >> 1
            }
        })
    };
    !bytes.iter().fold(u32::MAX, step)
}

/// A zlib stream of one block with the fixed codes of deflate. Repetitions are looked for at two
/// distances: the byte before, and the row before.
fn compress(data: &[u8], row: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // The only block, with fixed codes.
    bits.put(1, 1);
    bits.put(1, 2);
    let mut at = 0;
    while at < data.len() {
        let far = repeated(data, at, row.min(32_768));
        let near = repeated(data, at, 1);
        let (distance, length) = if far >= near { (row, far) } else { (1, near) };
        if length >= 3 {
            bits.length(length);
            bits.distance(distance);
            at += length;
        } else {
            bits.literal(u16::from(data[at]));
            at += 1;
        }
    }
    bits.literal(256);
    let mut out = vec![0x78, 0x01];
    out.extend_from_slice(&bits.finish());
    out.extend_from_slice(&adler32(data).to_be_bytes());
    out
}

/// How far the data from here repeat what is this far back.
fn repeated(data: &[u8], at: usize, distance: usize) -> usize {
    let Some(from) = at.checked_sub(distance) else {
        return 0;
    };
    let pairs = data[at..].iter().zip(&data[from..]);
    pairs.take(258).take_while(|(a, b)| a == b).count()
}

fn adler32(data: &[u8]) -> u32 {
    let (mut a, mut b) = (1_u32, 0_u32);
    for piece in data.chunks(4096) {
        for byte in piece {
            a += u32::from(*byte);
            b += a;
        }
        a %= 65_521;
        b %= 65_521;
    }
    (b << 16) | a
}

/// Bits, the lowest first.
#[derive(Default)]
struct Bits {
    out: Vec<u8>,
    held: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, value: u64, count: u32) {
        self.held |= value << self.count;
        self.count += count;
        while self.count >= 8 {
            self.out.push(self.held.to_le_bytes()[0]);
            self.held >>= 8;
            self.count -= 8;
        }
    }

    /// Codes are written with their highest bit first.
    fn code(&mut self, code: u16, length: u32) {
        let turned = code.reverse_bits() >> (16 - length);
        self.put(u64::from(turned), length);
    }

    fn literal(&mut self, symbol: u16) {
        match symbol {
            0..=143 => self.code(0x30 + symbol, 8),
            144..=255 => self.code(0x190 + symbol - 144, 9),
            256..=279 => self.code(symbol - 256, 7),
            _ => self.code(0xc0 + symbol - 280, 8),
        }
    }

    /// A length from 3 to 258.
    fn length(&mut self, length: usize) {
        if length == 258 {
            return self.literal(285);
        }
        let (symbol, extra, rest) = bucket(length - 3, 4);
        self.literal(257 + symbol);
        self.put(rest, extra);
    }

    /// A distance from 1 to 32,768.
    fn distance(&mut self, distance: usize) {
        let (symbol, extra, rest) = bucket(distance - 1, 2);
        self.code(symbol, 5);
        self.put(rest, extra);
    }

    fn finish(mut self) -> Vec<u8> {
        if self.count > 0 {
            self.put(0, 8 - self.count);
        }
        self.out
    }
}

/// Deflate's scale: `step` symbols to a doubling. The symbol, and how many bits tell the rest.
fn bucket(value: usize, step: usize) -> (u16, u32, u64) {
    if value < step * 2 {
        return (u16::try_from(value).unwrap_or_default(), 0, 0);
    }
    let extra = value.ilog2() - step.ilog2();
    let symbol = extra as usize * step + (value >> extra);
    let rest = value & ((1 << extra) - 1);
    (
        u16::try_from(symbol).unwrap_or_default(),
        extra,
        rest as u64,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_the_standards() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(adler32(b"Wikipedia"), 0x11e6_0398);
    }

    #[test]
    fn lengths_and_distances_are_on_deflates_scale() {
        for (length, symbol, extra, rest) in [
            (3, 257, 0, 0),
            (10, 264, 0, 0),
            (11, 265, 1, 0),
            (12, 265, 1, 1),
            (13, 266, 1, 0),
            (19, 269, 2, 0),
            (257, 284, 5, 30),
        ] {
            let found = bucket(length - 3, 4);
            assert_eq!((found.0 + 257, found.1, found.2), (symbol, extra, rest));
        }
        for (distance, symbol, extra, rest) in [
            (1, 0, 0, 0),
            (4, 3, 0, 0),
            (5, 4, 1, 0),
            (7, 5, 1, 0),
            (1025, 20, 9, 0),
            (24_577, 29, 13, 0),
            (32_768, 29, 13, 8191),
        ] {
            assert_eq!(bucket(distance - 1, 2), (symbol, extra, rest), "{distance}");
        }
    }

    #[test]
    fn a_picture_is_small_and_has_its_parts() {
        let pixels = (0..64 * 64).map(|at| u8::from(at / 64 > 30)).collect();
        let picture = Picture {
            width: 64,
            palette: vec![[0, 0, 0], [255, 0, 0]],
            pixels,
        };
        let file = encode(&picture);
        assert!(file.starts_with(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0@\0\0\0@"));
        assert!(file.ends_with(b"\0\0\0\0IEND\xaeB`\x82"));
        assert!(file.len() < 300, "{}", file.len());
    }
}
