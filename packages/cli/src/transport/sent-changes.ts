import { parseRetryAfter } from "@mgmt/internal/text/http-time";
import type { Transport } from "../sdk/sdk.js";

/**
 * Returns whether a response leaves open if the request took effect: one of a proxy that has lost the response of the service, or a 503
 * without a `Retry-After` that can be read. With this header, nothing was done.
 */
export const isOutcomeUnknown = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  [408, 502, 504].includes(status) ||
  (status === 503 && parseRetryAfter(headers["retry-after"] ?? "") === undefined);

/** Remembers whether the last request that may change something was sent and has no response of the service. */
export class SentChanges {
  #isUnanswered = false;

  /** Wraps a transport, whose requests are watched. */
  watch(transport: Transport): Transport {
    return {
      send: async (request) => {
        if (request.method === "GET") return transport.send(request);
        this.#isUnanswered = true;
        const response = await transport.send(request);
        this.#isUnanswered = isOutcomeUnknown(response.status, response.headers);
        return response;
      },
    };
  }

  /** Returns whether there is such a request, and forgets it: the caller reports its outcome. */
  takeUnanswered(): boolean {
    const isUnanswered = this.#isUnanswered;
    this.#isUnanswered = false;
    return isUnanswered;
  }
}
