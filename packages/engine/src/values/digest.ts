import { createHash, timingSafeEqual } from "node:crypto";

/** Returns the SHA-256 of a text as base64url, to recognize a secret without storing it. */
export const digest = (text: string): string => createHash("sha256").update(text).digest("base64url");

/** Compares two texts in constant time. */
export const isSame = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Returns whether `expected` is the digest of the secret. Compares in constant time. */
export const isDigestOf = (expected: string, secret: string): boolean => isSame(digest(secret), expected);
