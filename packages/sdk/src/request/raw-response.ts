import type { TransportResponse } from "../transport/transport.js";
import { abortError } from "../deadlines/abort-error.js";
import { onAbort } from "../deadlines/on-abort.js";
import type { MaybeStream } from "../transport/maybe-stream.js";

/** Returns a response as `fetch` returns it, with its body unread. Aborting one of the signals fails the body. */
export const rawResponse = (
  { status, headers, body, unread }: TransportResponse,
  signals: readonly AbortSignal[] = [],
): Response => {
  // These statuses have no body.
  if (!unread) return new Response([204, 205, 304].includes(status) ? null : body, { status, headers });
  const webResponse = toWebResponse(unread, { status, headers });
  return webResponse.body && signals.length > 0
    ? new Response(endOnAbort(webResponse.body, signals), webResponse)
    : webResponse;
};

/** Converts a response of node-fetch, whose body is a Node.js stream, to a `Response` of the platform. Returns others as they are. */
const toWebResponse = (response: Response, init: ResponseInit): Response => {
  // A body of node-fetch is not a web stream, although its type is `Response`.
  const { getReader, [Symbol.asyncIterator]: iterate } = Object(response.body) as MaybeStream;
  if (getReader || !iterate) return response;
  const chunkIterator = iterate.call(response.body);
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunkIterator.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunkIterator.return();
      },
    },
    { highWaterMark: 0 },
  );
  return new Response(body, init);
};

/** Returns a body that fails when one of the signals is aborted. Removes its listeners when the body is complete. */
const endOnAbort = (
  body: ReadableStream<Uint8Array>,
  signals: readonly AbortSignal[],
): ReadableStream<Uint8Array> => {
  const reader = body.getReader();
  let unregisterCallbacks: (() => void)[] = [];
  const removeAbortListeners = (): void => {
    for (const unregister of unregisterCallbacks) unregister();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        const stop = (reason: unknown): void => {
          const error = abortError(reason);
          removeAbortListeners();
          controller.error(error);
          // The connection is closed either way.
          void reader.cancel(error).catch(() => undefined);
        };
        unregisterCallbacks = signals.map((signal) => onAbort(signal, stop));
        const abortedSignal = signals.find((signal) => signal.aborted);
        if (abortedSignal) stop(abortedSignal.reason);
      },
      async pull(controller) {
        try {
          const { done, value } = await reader.read();
          if (!done) return controller.enqueue(value);
          removeAbortListeners();
          controller.close();
        } catch (error) {
          removeAbortListeners();
          throw error;
        }
      },
      async cancel(reason) {
        removeAbortListeners();
        await reader.cancel(reason);
      },
    },
    { highWaterMark: 0 },
  );
};
