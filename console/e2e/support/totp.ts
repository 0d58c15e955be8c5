// The codes that an authenticator app would show (RFC 6238: SHA-1, 6 digits, 30 seconds).

import { createHmac } from "node:crypto";

const PERIOD_S = 30;
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/** The code of this moment, or of `ahead` periods later: a step counts once, the next one already does. */
export function totp(secret: string, ahead = 0): string {
  const step = BigInt(Math.floor(Date.now() / 1_000 / PERIOD_S) + ahead);
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(step);
  const digest = createHmac("sha1", decode(secret)).update(counter).digest();
  const offset = (digest.at(-1) ?? 0) & 0x0f;
  const value = digest.readUInt32BE(offset) & 0x7fff_ffff;
  return String(value % 1_000_000).padStart(6, "0");
}

function decode(base32: string): Buffer {
  const bits = [...base32.replace(/[\s=]/g, "").toUpperCase()]
    .map((letter) => ALPHABET.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const bytes = bits.match(/.{8}/g) ?? [];
  return Buffer.from(bytes.map((byte) => Number.parseInt(byte, 2)));
}
