/** Returns the first half of a body, which is sent before an injected fault drops the connection. */
export const halfOf = (body: string): Uint8Array => {
  const bytes = new TextEncoder().encode(body);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
};
