const encoder = new TextEncoder();

/** Returns the number of bytes, for a string in UTF-8. */
export const byteLength = (content: Uint8Array | string): number =>
  (typeof content === "string" ? encoder.encode(content) : content).byteLength;
