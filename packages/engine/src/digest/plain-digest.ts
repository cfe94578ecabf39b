import { p256 } from "@noble/curves/nist.js";
import { hmac } from "@noble/hashes/hmac.js";
import { sha256 as hash } from "@noble/hashes/sha2.js";

// Replaces node-digest.ts where `node:crypto` does not exist. The digests of those platforms are asynchronous.

const toBytes = (content: Uint8Array | string): Uint8Array =>
  typeof content === "string" ? new TextEncoder().encode(content) : content;

export const sha256 = (content: Uint8Array | string): Uint8Array => hash(toBytes(content));

export const hmacSha256 = (key: Uint8Array | string, content: Uint8Array | string): Uint8Array =>
  hmac(hash, toBytes(key), toBytes(content));

export const areSameBytes = (left: Uint8Array, right: Uint8Array): boolean => {
  let difference = left.length ^ right.length;
  for (const [index, byte] of left.entries()) difference |= byte ^ (right[index] ?? 0);
  return difference === 0;
};

export const derivePublicPoint = (key: Uint8Array): { x: Uint8Array; y: Uint8Array } => {
  // A byte that says that both coordinates follow, and these. See https://www.secg.org/sec1-v2.pdf, section 2.3.3.
  const point = p256.getPublicKey(key, false);
  return { x: point.slice(1, 33), y: point.slice(33) };
};
