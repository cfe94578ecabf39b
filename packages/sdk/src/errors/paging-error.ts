import { MgmtError } from "./mgmt-error.js";

/** Why a list cannot be continued: the service repeated a cursor, or reported more items without a cursor. */
export type PagingFault = "cursor_repeated" | "cursor_missing";

/** A list cannot be continued. */
export class PagingError extends MgmtError {
  static override readonly kind: string = "PagingError";
  declare readonly code: "paging:broken";
  /** The `x-request-id` of the faulty page. */
  declare readonly requestId?: string;
  /** What the service did wrong. */
  readonly reason: PagingFault;

  constructor(reason: PagingFault, requestId: string | undefined) {
    const repeated = reason === "cursor_repeated";
    super(
      "paging:broken",
      repeated ? "The service repeated a cursor" : "The service reported more items but sent no cursor",
      { hint: "The items before this page are valid. Report the request ID to the service's operator." },
    );
    this.reason = reason;
    if (requestId !== undefined) this.requestId = requestId;
  }
}
