import { ResponseTooLargeError } from "../errors/response-too-large-error.js";

/** Maximum size of a response body after its decompression, in bytes. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Reads the body of a response as text. The `imports` of `package.json` leave the limit out of builds for browsers, where every
 * byte counts and a page has the memory of one tab.
 * Throws `ResponseTooLargeError` for a body of more than 64 MiB, of which the rest is not read.
 */
export async function textOf(response: Response, request: { method: string; url: string }): Promise<string> {
  const { body, headers } = response;
  // Test doubles and some runtimes have no streams.
  if (!body) return response.text();
  const length = headers.get("content-length") ?? "";
  const isShort = /^\d+$/.test(length) && Number(length) <= maxBytes && !headers.has("content-encoding");
  if (isShort) return response.text();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    size += value.length;
    if (size > maxBytes) {
      // The response is of no use, whether or not it can be canceled.
      void reader.cancel().catch(() => undefined);
      throw new ResponseTooLargeError(request, maxBytes);
    }
    text += decoder.decode(value, { stream: true });
  }
}
