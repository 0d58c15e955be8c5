// Sound as the realtime protocol has it: 16-bit samples, one channel, 24,000 a second, in base64.

const RATE = 24_000;
const HEADER_BYTES = 44;

/** A recording's samples. */
export async function pcmOf(recording: Blob): Promise<Uint8Array> {
  const context = new OfflineAudioContext(1, 1, RATE);
  const decoded = await context.decodeAudioData(await recording.arrayBuffer());
  const samples = decoded.getChannelData(0);
  const view = new DataView(new ArrayBuffer(samples.length * 2));
  samples.forEach((sample, index) => {
    view.setInt16(index * 2, Math.max(-1, Math.min(1, sample)) * 0x7fff, true);
  });
  return new Uint8Array(view.buffer);
}

/** Base64 pieces of samples as a sound file that a browser plays. */
export function wavOf(pieces: readonly string[]): Blob {
  const samples = pieces.map((piece) =>
    Uint8Array.from(atob(piece), (character) => character.charCodeAt(0)),
  );
  const length = samples.reduce((sum, part) => sum + part.length, 0);
  const head = new DataView(new ArrayBuffer(HEADER_BYTES));
  const word = (at: number, text: string) => {
    for (let index = 0; index < text.length; index += 1) {
      head.setUint8(at + index, text.charCodeAt(index));
    }
  };
  word(0, "RIFF");
  head.setUint32(4, HEADER_BYTES - 8 + length, true);
  word(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 1, true);
  head.setUint32(24, RATE, true);
  head.setUint32(28, RATE * 2, true);
  head.setUint16(32, 2, true);
  head.setUint16(34, 16, true);
  word(36, "data");
  head.setUint32(40, length, true);
  return new Blob([head.buffer, ...samples], { type: "audio/wav" });
}
