import { type ConnectionError, InvalidArgumentError } from "../errors/local-errors.js";

/**
 * The first words of the error messages of runtimes when `fetch` does not accept its arguments. A request that fails on its way has other
 * messages: `Failed to fetch`, `Load failed`, or `fetch failed` with a cause.
 */
const rejectionPattern =
  /^(?:RequestInit|Request constructor|Window\.fetch|WorkerGlobalScope\.fetch|Failed to (?:execute|construct)\b)/;

/**
 * Returns the error of a request that `fetch` rejected before it sent anything, and would reject again; undefined for any other
 * failure.
 */
export const findFetchRejectionError = ({ cause }: ConnectionError): InvalidArgumentError | undefined => {
  // Test environments have errors of another global object, so that nothing is known of it.
  const { name, message, cause: innerCause } = Object(cause) as Partial<Error>;
  if (name !== "TypeError" || innerCause !== undefined || !rejectionPattern.test(message ?? ""))
    return undefined;
  return new InvalidArgumentError("fetch", `refused the request: ${message ?? ""}`, {
    cause,
    hint: "Nothing was sent. A test environment may have replaced AbortSignal or Request: use the fetch that belongs to it.",
  });
};
