/** What of a body is sent before a fault cuts the connection. */
export const halfOf = (body: string): Uint8Array => {
  const bytes = new TextEncoder().encode(body);
  return bytes.subarray(0, Math.floor(bytes.length / 2));
};
