import { weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 as hash } from "@noble/hashes/sha2.js";

// Replaces node-digest.ts where `node:crypto` does not exist, as in a browser. Web Crypto, which exists there, cannot be used: its functions are
// asynchronous, and the steps of the engine are not.

const toBytes = (content: Uint8Array | string): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

/** Returns the SHA-256 of bytes, or of a string in UTF-8. */
export const sha256 = (content: Uint8Array | string): Uint8Array => hash(toBytes(content));

/** Returns the HMAC-SHA-256 of bytes, or of a string in UTF-8. A string as the key is also in UTF-8. */
export const hmacSha256 = (key: Uint8Array | string, content: Uint8Array | string): Uint8Array =>
  hmac(hash, toBytes(key), toBytes(content));

/** Compares bytes in constant time: the time does not reveal where the bytes differ. Bytes of different lengths are not equal. */
export const areEqualInConstantTime = (left: Uint8Array, right: Uint8Array): boolean => {
  // A return at the first byte that differs would tell an attacker how many bytes of a guess are right.
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
};

/**
 * The curve P-256. See https://www.secg.org/sec2-v2.pdf, section 2.4.2. `nist.js` of the same library has this curve too, but its code for
 * signatures would make bundles larger.
 */
const Point = weierstrass({
  p: 0xffffffff00000001000000000000000000000000ffffffffffffffffffffffffn,
  n: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  h: 1n,
  a: 0xffffffff00000001000000000000000000000000fffffffffffffffffffffffcn,
  b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  Gx: 0x6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296n,
  Gy: 0x4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5n,
});

/**
 * Returns the coordinates of the public key of a private key on the curve P-256, 32 bytes each.
 *
 * @param privateKey 32 bytes, as a number in big-endian order; neither zero nor above the order of the curve.
 * @throws Error for any other key.
 */
export const derivePublicKey = (privateKey: Uint8Array): { x: Uint8Array; y: Uint8Array } => {
  // The uncompressed form is one byte, the x-coordinate, and the y-coordinate. See https://www.secg.org/sec1-v2.pdf, section 2.3.3.
  const point = Point.BASE.multiply(Point.Fn.fromBytes(privateKey)).toBytes(false);
  return { x: point.slice(1, 33), y: point.slice(33) };
};
