/** Returns bytes as base64. */
export const encodeBase64 = (bytes: Uint8Array): string => btoa(String.fromCharCode(...bytes));

/** Returns bytes as base64url, without padding. */
export const encodeBase64Url = (bytes: Uint8Array): string =>
  encodeBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");

/** Returns the bytes of a base64 text. Returns undefined unless it is exactly the result of `encodeBase64` for them. */
export const decodeBase64 = (base64: string): Uint8Array | undefined => {
  try {
    const bytes = Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
    return encodeBase64(bytes) === base64 ? bytes : undefined;
  } catch {
    return undefined;
  }
};

/** Returns the bytes of a base64url text. Returns undefined unless it is exactly the result of `encodeBase64Url` for them. */
export const decodeBase64Url = (base64: string): Uint8Array | undefined => {
  const paddedText =
    base64.replaceAll("-", "+").replaceAll("_", "/") + "=".repeat((4 - (base64.length % 4)) % 4);
  const bytes = decodeBase64(paddedText);
  return bytes && encodeBase64Url(bytes) === base64 ? bytes : undefined;
};
