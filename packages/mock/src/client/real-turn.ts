import { MessageChannel } from "node:worker_threads";

/** Resolves in the next turn of the event loop. Libraries for fake timers replace every other way to wait for it. */
export const realTurn = (): Promise<void> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.once("message", () => {
      port1.close();
      resolve();
    });
    port2.postMessage(null);
  });
