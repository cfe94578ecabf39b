import type { IncomingMessage } from "node:http";

/**
 * Reads the body of a request. Resolves to its bytes, to undefined when there are none, or to `too-large` as
 * soon as it exceeds `maxBytes`; the rest is then left unread. With `keepsBytes` set to false, the bytes are
 * counted and discarded. Rejects when the client disconnects.
 */
export const readBytes = (
  request: IncomingMessage,
  maxBytes: number,
  keepsBytes = true,
): Promise<Uint8Array | undefined | "too-large"> => {
  if (Number(request.headers["content-length"] ?? 0) > maxBytes) return Promise.resolve("too-large");
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const takeChunk = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        if (keepsBytes) chunks.push(chunk);
        return;
      }
      request.off("data", takeChunk);
      request.pause();
      resolve("too-large");
    };
    request.on("data", takeChunk);
    request.on("end", () => resolve(chunks.length === 0 ? undefined : Buffer.concat(chunks, size)));
    request.on("close", () => reject(new Error("The client went away")));
    request.on("error", reject);
  });
};
