import { createECDH, createHash, createHmac, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 of bytes, or of a string in UTF-8. */
export const sha256 = (content: Uint8Array | string): Uint8Array =>
  createHash("sha256").update(content).digest();

/** Returns the HMAC-SHA-256 of bytes, or of a string in UTF-8. A string as the key is also in UTF-8. */
export const hmacSha256 = (key: Uint8Array | string, content: Uint8Array | string): Uint8Array =>
  createHmac("sha256", key).update(content).digest();

/** Compares bytes in constant time. */
export const areSameBytes = (left: Uint8Array, right: Uint8Array): boolean =>
  left.length === right.length && timingSafeEqual(left, right);

/**
 * Returns the point of a private key on the curve P-256.
 *
 * @param key 32 bytes; neither zero nor above the order of the curve.
 */
export const derivePublicPoint = (key: Uint8Array): { x: Uint8Array; y: Uint8Array } => {
  const curve = createECDH("prime256v1");
  curve.setPrivateKey(key);
  const point = curve.getPublicKey();
  return { x: point.subarray(1, 33), y: point.subarray(33) };
};
