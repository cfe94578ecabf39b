import { InvalidArgumentError } from "../errors/local-errors.js";
import type { Fetch } from "./fetch.js";
import type { Transport } from "./transport.js";
import { assertFetch, assertFetchedResponse } from "#type-checks";
import { readText } from "#response-text";

/** Creates a transport that sends with `fetch`. Without an argument, it reads `globalThis.fetch` at each call. */
export const fetchTransport = (fetch?: Fetch): Transport => ({
  async send({ method, url, headers, body = null, signal, reading }) {
    assertFetch(fetch, () => InvalidArgumentError);
    const send = fetch ?? globalThis.fetch;
    const response = await send(url, { method, headers, signal, redirect: "manual", body });
    assertFetchedResponse(response, () => InvalidArgumentError);
    if (response.type === "opaqueredirect") throw new TypeError("a redirect");
    // `rawResponse` converts a response of node-fetch to a web `Response`.
    const unread = reading?.unread && response.ok ? (response as Response) : undefined;
    const bodyText = unread ? "" : await readText(response, { method, url });
    let flattenedHeaders: Record<string, string> | undefined;
    return {
      status: response.status,
      // Lazy: most calls never read the headers, and copying them costs as much as writing the request.
      get headers() {
        // `assertFetchedResponse` has made sure of it.
        return (flattenedHeaders ??= Object.fromEntries(response.headers as Headers));
      },
      body: bodyText,
      unread,
    };
  },
});
