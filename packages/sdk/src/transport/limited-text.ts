import type { FetchResponse } from "./fetch.js";
import type { MaybeStream, ChunkIterator } from "./maybe-stream.js";
import { ResponseTooLargeError, defaultMaxResponseBytes } from "../errors/response-too-large-error.js";

/**
 * Reads the body of a response as text. The `imports` of `package.json` leave the limit out of builds for browsers, where every
 * byte counts and a page has the memory of one tab.
 * Throws `ResponseTooLargeError` for a body of more than 64 MiB, of which the rest is not read.
 */
export async function readText(
  response: FetchResponse,
  request: { method: string; url: string },
): Promise<string> {
  const { body, headers } = response;
  const length = headers.get("content-length") ?? "";
  const isKnownToFit =
    /^\d+$/.test(length) && Number(length) <= defaultMaxResponseBytes && !headers.has("content-encoding");
  const chunkIterator = isKnownToFit ? undefined : getChunkIterator(body);
  if (!chunkIterator) return response.text();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await chunkIterator.next();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > defaultMaxResponseBytes) {
      // The response is of no use, whether or not it can be canceled.
      void chunkIterator.return().catch(() => undefined);
      throw new ResponseTooLargeError(request, defaultMaxResponseBytes);
    }
    text += decoder.decode(value, { stream: true });
  }
}

/** Returns undefined for a body that is not a stream: test doubles and some runtimes have none. */
const getChunkIterator = (body: unknown): ChunkIterator | undefined => {
  // All members are optional, because nothing is known about the value.
  const stream = Object(body) as MaybeStream;
  const reader = stream.getReader?.();
  if (!reader) return stream[Symbol.asyncIterator]?.();
  return {
    next: () => reader.read(),
    return: async () => ({ done: true, value: await reader.cancel() }),
  };
};
