import type { ApiError } from "../errors/api-error.js";
import type { PagingError, PagingFault } from "../errors/paging-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import { maskInspection } from "#masked-inspection";

/** What is wrong with the body of a 2xx response, unless it does not match the contract. */
export type BodyFault = "not_json" | PagingFault;

/**
 * Reads the value from the body of a successful response. Returns the fault of a page that the list cannot be continued
 * from, and undefined for a body that does not match the contract.
 */
export type ReadBody<T> = (body: unknown) => { value: T } | { fault: PagingFault } | undefined;

/** Makes the error of a response that has no value. */
export interface ResponseErrors {
  responseError(
    message: Message,
    response: TransportResponse,
    fault: BodyFault | undefined,
  ): ApiError | PagingError;
}

/** Decodes the value of a 2xx response. Throws an `ApiError` or a `PagingError` when there is none. */
export const decode = <T>(
  message: Message,
  response: TransportResponse,
  read: ReadBody<T>,
  load: () => Promise<ResponseErrors>,
): T | Promise<never> => {
  const fail = async (fault?: BodyFault): Promise<never> => {
    throw (await load()).responseError(message, response, fault);
  };
  const { status, body, unread } = response;
  if (status < 200 || status > 299) return fail();
  // Nobody takes the value of a call with `asResponse()`.
  if (unread) return unread as T;
  let json: unknown;
  try {
    json = body === "" ? undefined : JSON.parse(body);
  } catch {
    return fail("not_json");
  }
  maskInspection(json, body);
  const result = read(json);
  return result && "value" in result ? result.value : fail(result?.fault);
};

/** Reads the value of a body of the form `{ data }`. */
export const readData = <T>(body: unknown): { value: T } | undefined => {
  // The contract says which object it is.
  const { data } = (body ?? {}) as { data?: T | null };
  return data === undefined || data === null ? undefined : { value: data };
};
