import { MessageChannel } from "node:worker_threads";
import { createBodyStream } from "./body-stream.js";

/** Resolves in the next turn of the event loop. Libraries for fake timers replace every other way to wait for it. */
export const waitForRealTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.once("message", () => {
      port1.close();
      resolve();
    });
    port2.postMessage(null);
  });

/** Creates a request whose body can be read while fake timers hold back the callbacks of `queueMicrotask`. */
export const createRequest = (url: string, init: RequestInit): Request => {
  const { body } = init;
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return new Request(url, init);
  const streamingInit: RequestInit & { duplex: "half" } = {
    ...init,
    body: createBodyStream(body),
    duplex: "half",
  };
  return new Request(url, streamingInit);
};
