import { parseRetryAfter } from "@mgmt/internal/text/http-time";
import type { Transport } from "../sdk/sdk.js";

/**
 * Returns whether a response does not tell if the request took effect: a proxy has lost the response of the service, or the status is 503
 * and there is no valid `Retry-After`, with which nothing was done.
 */
export const isOutcomeUnknown = (status: number, headers: Readonly<Record<string, string>>): boolean =>
  [408, 502, 504].includes(status) ||
  (status === 503 && parseRetryAfter(headers["retry-after"] ?? "") === undefined);

/** Tracks whether the last request that may change something was sent without a response of the service. */
export class UnconfirmedChangeTracker {
  #isUnconfirmed = false;

  /** Returns the transport, with its requests tracked. */
  trackTransport(transport: Transport): Transport {
    return {
      send: async (request) => {
        if (request.method === "GET") return transport.send(request);
        this.#isUnconfirmed = true;
        const response = await transport.send(request);
        this.#isUnconfirmed = isOutcomeUnknown(response.status, response.headers);
        return response;
      },
    };
  }

  /** Returns whether there is such a request. A further call returns false, because the caller reports the outcome. */
  consumeUnconfirmed(): boolean {
    const isUnconfirmed = this.#isUnconfirmed;
    this.#isUnconfirmed = false;
    return isUnconfirmed;
  }
}
