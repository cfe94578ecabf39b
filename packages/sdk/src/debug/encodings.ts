/** Decodes base64 or base64url without padding, as UTF-8. Bytes that are not UTF-8 become U+FFFD. */
export const decodeBase64 = (text: string): string => {
  const digits = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  // One digit alone encodes no byte.
  const whole = digits.length % 4 === 1 ? digits.slice(0, -1) : digits;
  return new TextDecoder().decode(Uint8Array.from(atob(whole), (each) => each.charCodeAt(0)));
};

/** Decodes percent-encoding. What is not valid UTF-8 is decoded byte by byte. */
export const decodePercent = (text: string): string =>
  text.replace(/(?:%[0-9a-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded.replace(/%(..)/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
    }
  });
