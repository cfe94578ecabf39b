import type { FromWorker, ReceivedResponse } from "../messages.js";

/** Statuses of responses that cannot have a body. */
const withoutBody = [204, 205, 304];

/** More at the same time are a mistake of the program, which would fill the memory of the page. */
const mostRequests = 1_000;

/**
 * Returns a `fetch` that sends requests to the mock in the page. Others fail.
 *
 * @param bases where the mock responds.
 */
export const mockFetch = (bases: readonly string[]): typeof fetch => {
  let open = 0;
  return async (input, init) => {
    const request = new Request(input, init);
    const { url, method, signal } = request;
    if (!bases.some((base) => url === base || url.startsWith(`${base}/`))) {
      throw new TypeError(
        `This page sends no request to ${new URL(url).origin}. Its mock responds at ${bases.join(" and ")}`,
      );
    }
    if (open >= mostRequests)
      throw new TypeError(`The program has sent ${String(mostRequests)} requests without a response`);
    open += 1;
    const bytes = await request.arrayBuffer();
    const body = bytes.byteLength === 0 ? null : bytes;
    const sent = ask({ type: "request", request: { url, method, headers: [...request.headers], body } });
    const received = await untilAborted(
      signal,
      sent.finally(() => {
        open -= 1;
      }),
    );
    if ("failure" in received) throw new TypeError(received.failure);
    const { status, headers } = received;
    return new Response(withoutBody.includes(status) ? null : received.body, { status, headers });
  };
};

const ask = (message: FromWorker): Promise<ReceivedResponse> =>
  new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = ({ data }: MessageEvent<ReceivedResponse>) => {
      port1.close();
      resolve(data);
    };
    self.postMessage(message, { transfer: [port2] });
  });

const untilAborted = <T>(signal: AbortSignal, work: Promise<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    if (signal.aborted) reject(signal.reason);
    signal.addEventListener("abort", () => reject(signal.reason), { once: true });
    work.then(resolve, reject);
  });
