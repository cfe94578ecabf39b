import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Transport } from "./transport.js";
import { assertFetch, assertFetched } from "#type-checks";
import { textOf } from "#response-text";

/** The part of `fetch` that the SDK uses. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Creates a transport that sends with `fetch`. Without an argument, it reads `globalThis.fetch` at each call. */
export const fetchTransport = (fetch?: Fetch): Transport => ({
  async send({ method, url, headers, body = null, signal, reading }) {
    const send = fetch ?? globalThis.fetch;
    assertFetch(send, InvalidArgumentError);
    const response = await send(url, { method, headers, signal, redirect: "manual", body });
    assertFetched(response, InvalidArgumentError);
    if (response.type === "opaqueredirect") throw new TypeError("The response is a redirect.");
    // The body of node-fetch is a stream of Node.js, which only its own response can be read with.
    const isWeb = response.body && "getReader" in response.body;
    const unread = reading?.unread && response.ok && isWeb ? response : undefined;
    const text = unread ? "" : await textOf(response, { method, url });
    let flat: Record<string, string> | undefined;
    return {
      status: response.status,
      // Lazy: most calls never read the headers, and copying them costs as much as writing the request.
      get headers() {
        return (flat ??= Object.fromEntries(response.headers));
      },
      body: text,
      unread,
    };
  },
});
