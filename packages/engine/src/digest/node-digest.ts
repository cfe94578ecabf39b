import { createECDH, createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 of bytes, or of a string in UTF-8. */
export const sha256 = (content: Uint8Array | string): Uint8Array =>
  createHash("sha256").update(content).digest();

/** Returns the HMAC-SHA-256 of bytes, or of a string in UTF-8. A string as the key is also in UTF-8. */
export const hmacSha256 = (key: Uint8Array | string, content: Uint8Array | string): Uint8Array =>
  createHmac("sha256", key).update(content).digest();

/** Compares bytes in constant time: the time does not reveal where the bytes differ. Bytes of different lengths are not equal. */
export const areEqualInConstantTime = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

/**
 * Returns the coordinates of the public key of a private key on the curve P-256, 32 bytes each.
 *
 * @param privateKey 32 bytes, as a number in big-endian order; neither zero nor above the order of the curve.
 * @throws Error for any other key.
 */
export const derivePublicKey = (privateKey: Uint8Array): { x: Uint8Array; y: Uint8Array } => {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(privateKey);
  // The uncompressed form is one byte, the x-coordinate, and the y-coordinate. See https://www.secg.org/sec1-v2.pdf, section 2.3.3.
  const point = curve.getPublicKey();
  return { x: point.subarray(1, 33), y: point.subarray(33) };
};
