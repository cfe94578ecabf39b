import { encodeBase64Url } from "./base64.js";

/** Returns unpredictable bytes. */
export const randomBytes = (length: number): Uint8Array<ArrayBuffer> =>
  crypto.getRandomValues(new Uint8Array(length));

/** Returns unpredictable bytes as base64url. */
export const randomBase64Url = (length: number): string => encodeBase64Url(randomBytes(length));
