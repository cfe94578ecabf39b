import { ConnectionError } from "../errors/local-errors.js";
import type { Transport, TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";

/** Sends a request and reads the whole answer. What the transport throws becomes the cause of a `ConnectionError`. */
export const send = async (
  transport: Transport,
  { method, url, headers, body }: Message,
  signal: AbortSignal,
): Promise<TransportResponse> => {
  // The credential may have come after the deadline; then nothing may be sent any more.
  signal.throwIfAborted();
  try {
    return await transport.send({ method, url, headers, body, signal });
  } catch (cause) {
    throw new ConnectionError({ method, url }, `got no whole answer (${reasonOf(cause)})`, {
      cause,
      hint: "Check baseUrl and that the service can be reached.",
    });
  }
};

/** `ECONNREFUSED` rather than "fetch failed": the innermost code says most. */
export const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown reason";
  if (error.cause instanceof Error) return reasonOf(error.cause);
  return "code" in error && typeof error.code === "string" ? error.code : error.message;
};
