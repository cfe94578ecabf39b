import { areEqualInConstantTime, sha256 } from "#digest";
import { encodeBase64Url } from "./base64.js";

/** Returns the SHA-256 of a string as base64url, to recognize a secret without storing it. */
export const computeDigest = (text: string): string => encodeBase64Url(sha256(text));

/** Compares two strings in constant time. */
export const areStringsEqualInConstantTime = (left: string, right: string): boolean => {
  const encoder = new TextEncoder();
  return areEqualInConstantTime(encoder.encode(left), encoder.encode(right));
};

/** Returns whether `expectedDigest` is the digest of the secret. Compares in constant time. */
export const isDigestOf = (expectedDigest: string, secret: string): boolean =>
  areStringsEqualInConstantTime(computeDigest(secret), expectedDigest);
