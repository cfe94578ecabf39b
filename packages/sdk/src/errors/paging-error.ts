import { MgmtError } from "./mgmt-error.js";

/**
 * Why a list is not continued: the service repeated a cursor, reported more items without a cursor, or has ever more pages (10,000 in one
 * iteration, or 1,000 empty ones in a row).
 */
export type PagingFault = "cursor_repeated" | "cursor_missing" | "endless";

const problemsByFault: Readonly<Record<PagingFault, string>> = {
  cursor_repeated: "The service repeated a cursor",
  cursor_missing: "The service reported more items but sent no cursor",
  endless: "The service has ever more pages",
};

const formatHint = (reason: PagingFault): string => {
  const reportRequest = "report the request ID to the service's operator.";
  return reason === "endless"
    ? `To go on, pass a larger limit, or the last nextCursor as cursor. If the list cannot be that long, ${reportRequest}`
    : `The items before this page are valid. R${reportRequest.slice(1)}`;
};

/** A list is not continued. */
export class PagingError extends MgmtError {
  static override readonly kind: string = "PagingError";
  declare readonly code: "paging:broken";
  /** The `x-request-id` of the faulty page. */
  declare readonly requestId?: string;
  /** The mistake of the service. */
  readonly reason: PagingFault;

  constructor(reason: PagingFault, requestId: string | undefined) {
    super("paging:broken", problemsByFault[reason], { hint: formatHint(reason) });
    this.reason = reason;
    if (requestId !== undefined) this.requestId = requestId;
  }
}
