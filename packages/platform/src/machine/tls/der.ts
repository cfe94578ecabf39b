/** Encodes values in DER, the binary encoding of certificates ([X.690](https://www.itu.int/rec/T-REC-X.690)). */
export const der = {
  sequence: (...parts: readonly Buffer[]): Buffer => encodeTagged(0x30, ...parts),
  set: (...parts: readonly Buffer[]): Buffer => encodeTagged(0x31, ...parts),
  true: (): Buffer => encodeTagged(0x01, Buffer.from([0xff])),
  /** @param bytes a positive integer without a leading sign bit. */
  integer: (...bytes: readonly number[]): Buffer => encodeTagged(0x02, Buffer.from(bytes)),
  utf8: (text: string): Buffer => encodeTagged(0x0c, Buffer.from(text)),
  octets: (...parts: readonly Buffer[]): Buffer => encodeTagged(0x04, ...parts),
  bits: (bytes: Buffer, unusedBits = 0): Buffer => encodeTagged(0x03, Buffer.from([unusedBits]), bytes),

  oid: (dottedOid: string): Buffer => {
    const [first = 0, second = 0, ...otherArcs] = dottedOid.split(".").map(Number);
    return encodeTagged(0x06, Buffer.from([first * 40 + second, ...otherArcs.flatMap(encodeBase128)]));
  },

  /** UTCTime until 2049, GeneralizedTime afterwards ([RFC 5280, 4.1.2.5](https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5)). */
  time: (date: Date): Buffer => {
    const digits = `${date.toISOString().slice(0, 19).replace(/\D/g, "")}Z`;
    return date.getUTCFullYear() < 2050
      ? encodeTagged(0x17, Buffer.from(digits.slice(2)))
      : encodeTagged(0x18, Buffer.from(digits));
  },

  /** Encodes a context-specific value `[number]` that replaces the tag of a primitive value. */
  implicit: (number: number, bytes: Buffer): Buffer => encodeTagged(0x80 | number, bytes),
  /** Encodes a context-specific value `[number]` that contains other values. */
  explicit: (number: number, ...parts: readonly Buffer[]): Buffer => encodeTagged(0xa0 | number, ...parts),
};

const encodeTagged = (tag: number, ...parts: readonly Buffer[]): Buffer => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...encodeLength(content)]), content]);
};

/**
 * Returns the length field of DER: one byte, or the number of length bytes and these bytes. See https://www.itu.int/rec/T-REC-X.690,
 * section 8.1.3.
 */
const encodeLength = ({ length }: Buffer): number[] => {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let remaining = length; remaining > 0; remaining >>>= 8) bytes.unshift(remaining & 0xff);
  return [0x80 | bytes.length, ...bytes];
};

const encodeBase128 = (value: number): number[] => {
  const bytes = [value & 0x7f];
  for (let remaining = value >> 7; remaining > 0; remaining >>= 7) bytes.unshift((remaining & 0x7f) | 0x80);
  return bytes;
};
