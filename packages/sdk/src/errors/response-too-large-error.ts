import { MgmtError } from "./mgmt-error.js";

/** Maximum size of the body of a response after its decompression, in bytes. `nodeTransport` can have another. */
export const defaultMaxResponseBytes = 64 * 1024 * 1024;

/** A response body is larger than the transport allows. It was not read to its end; the service has processed the request. */
export class ResponseTooLargeError extends MgmtError {
  static override readonly kind: string = "ResponseTooLargeError";
  declare readonly code: "response:too_large";
  /** The limit, in bytes. */
  readonly maxResponseBytes: number;

  constructor(request: { method: string; url: string }, maxResponseBytes: number) {
    const url = request.url.replace(/\?.*/s, "");
    super(
      "response:too_large",
      `${request.method} ${url} got a response of more than ${String(maxResponseBytes)} bytes`,
      {
        hint: "Check that baseUrl is the URL of the Management API. To allow larger responses, set maxResponseBytes of nodeTransport.",
        advice: "check_intermediary",
      },
    );
    this.maxResponseBytes = maxResponseBytes;
  }
}
