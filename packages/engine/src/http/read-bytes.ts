import type { IncomingMessage } from "node:http";

/** Thrown when the client disconnects before it has sent the whole body. */
export class ClientDisconnectedError extends Error {}

/**
 * Reads the body of a request. Resolves to its bytes, to undefined when there are none, or to `too-large` as
 * soon as it exceeds `maxBytes`; the rest is then left unread. With `keepsBytes` set to false, the bytes are
 * counted and discarded.
 *
 * @throws ClientDisconnectedError
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
    const onChunk = (chunk: Buffer): void => {
      size += chunk.length;
      if (size <= maxBytes) {
        if (keepsBytes) chunks.push(chunk);
        return;
      }
      request.off("data", onChunk);
      request.pause();
      resolve("too-large");
    };
    request.on("data", onChunk);
    request.on("end", () => resolve(chunks.length === 0 ? undefined : Buffer.concat(chunks, size)));
    const onDisconnect = (): void => reject(new ClientDisconnectedError("The client has disconnected"));
    request.on("close", onDisconnect);
    request.on("error", onDisconnect);
  });
};
