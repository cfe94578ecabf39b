import { timingSafeEqual } from "node:crypto";
import { digest } from "../request/digest.js";

/** Compares in constant time. */
export const isSame = (left: string, right: string): boolean => {
  const [one, other] = [Buffer.from(left), Buffer.from(right)];
  return one.length === other.length && timingSafeEqual(one, other);
};

/** Whether a kept digest is that of this secret. Also the S256 of PKCE, which is the same digest (RFC 7636 §4.6). */
export const isDigestOf = (expected: string, secret: string): boolean => isSame(digest(secret), expected);
