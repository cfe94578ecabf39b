/** Decodes base64 or base64url without padding, as UTF-8. Bytes that are not UTF-8 become U+FFFD. */
export const decodeBase64 = (base64: string): string => {
  const digits = base64.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  // A single digit at the end does not encode a byte.
  const encoded = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return decodeUtf8(atob(encoded));
};

/** Decodes pairs of hexadecimal digits, as UTF-8. */
export const decodeHex = (digits: string): string =>
  decodeUtf8(digits.replace(/../g, (pair) => String.fromCharCode(Number.parseInt(pair, 16))));

const decodeUtf8 = (bytes: string): string =>
  new TextDecoder().decode(Uint8Array.from(bytes, (character) => character.charCodeAt(0)));

/** Returns whether the decoded characters are text rather than chance. */
export const isReadableText = (decoded: string): boolean =>
  decoded.length >= 6 && !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\ufffd]/.test(decoded);

/** Decodes percent-encoding. Bytes that are not valid UTF-8 are decoded one by one. */
export const decodePercent = (encoded: string): string =>
  encoded.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
