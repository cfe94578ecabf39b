// Replaces node-platform.ts outside of Node.js.

/** Resolves in the next turn of the event loop, also while fake timers are installed. */
export const waitForRealTurn = (): Promise<void> =>
  new Promise((resolve) => {
    // Edge runtimes have none.
    if (typeof MessageChannel === "undefined") return void setTimeout(resolve, 0);
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });

/** Creates a request whose body is not a stream, because some browsers cannot send one. */
export const createRequest = (url: string, init: RequestInit): Request => new Request(url, init);
