/**
 * Returns a stream of bytes. The stream that Node.js makes of a string ends in a callback of `queueMicrotask`: while fake timers hold that
 * back, it repeats the string without end.
 */
export const createBodyStream = (content: string | Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      if (bytes.length > 0) controller.enqueue(bytes);
      controller.close();
    },
  });
