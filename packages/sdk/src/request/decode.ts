import type { ApiError } from "../errors/api-error.js";
import type { PagingError, PagingFault } from "../errors/paging-error.js";
import { type MgmtError, kindsKey } from "../errors/mgmt-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import { maskInspection } from "#masked-inspection";

/**
 * Why the body of a 2xx response has no value: it is not JSON, or a page from which a list cannot continue. A body that violates the
 * contract is not such a fault, but undefined.
 */
export type BodyFault = "not_json" | PagingFault;

/**
 * Reads the value from the parsed body of a 2xx response. Returns undefined if the body is not what the contract specifies, and the fault of a
 * page that a list cannot continue from.
 */
export type ReadBody<T> = (body: unknown) => { value: T } | { fault: PagingFault } | undefined;

/** Makes the errors of responses. Its module is loaded when a response first has no value. */
export interface ResponseErrors {
  /**
   * Returns the error of a response that has no value.
   *
   * @param fault undefined if the body of a 2xx response is not what the contract specifies. Ignored for another status, which is an error
   *   whatever the body is.
   */
  responseError(
    message: Message,
    response: TransportResponse,
    fault: BodyFault | undefined,
  ): ApiError | PagingError;
}

/**
 * Decodes the value of a response.
 *
 * @param loadErrors loads the code of the errors, which only failures need.
 * @throws ApiError for another status than 2xx, or a body that has no value; PagingError for a page that the list cannot continue from.
 */
export const decodeResponse = <T>(
  message: Message,
  response: TransportResponse,
  readBody: ReadBody<T>,
  loadErrors: () => Promise<ResponseErrors>,
): T | Promise<never> => {
  const { status, body, unread: unreadResponse } = response;
  const isSuccess = status >= 200 && status <= 299;
  // A call with `asResponse()` passes on this response itself, and ignores the value.
  if (isSuccess && unreadResponse) return unreadResponse as T;
  let json: unknown;
  let fault: BodyFault | undefined;
  try {
    json = body === "" ? undefined : JSON.parse(body);
  } catch {
    fault = "not_json";
  }
  if (isSuccess && !fault) {
    maskInspection(json, body);
    const readResult = readBody(json);
    if (readResult && "value" in readResult) return readResult.value;
    fault = readResult?.fault;
  }
  return loadErrors().then(
    (errors) => {
      throw errors.responseError(message, response, fault);
    },
    (loadError: MgmtError) => {
      throw isSuccess ? loadError : addApiErrorProperties(loadError, message, response, json);
    },
  );
};

/**
 * Adds the properties of an `ApiError` that programs read, such as `code`, to the error of loading the code of the errors, so that a program
 * can still tell why the request failed.
 */
const addApiErrorProperties = (
  error: MgmtError,
  { method, path }: Message,
  { status, headers }: TransportResponse,
  json: unknown,
): MgmtError => {
  // The body may be any JSON; the next line checks the type of the code.
  const { code } = (json as { error?: { code?: unknown } } | undefined)?.error ?? {};
  const codeOrStatus = typeof code === "string" ? code : `http:${status}`;
  // Every error of the SDK has its kinds, an array, in this property.
  (Reflect.get(error, kindsKey) as string[]).push("ApiError", codeOrStatus);
  return Object.assign(error, {
    code: codeOrStatus,
    status,
    requestId: headers["x-request-id"],
    headers: {},
    method,
    path,
  });
};

/** Reads the value of a body of the form `{ data }`. */
export const readData = <T>(body: unknown): { value: T } | undefined => {
  // The contract defines the type of the value; only its presence is checked.
  const { data } = (body ?? {}) as { data?: T | null };
  return data === undefined || data === null ? undefined : { value: data };
};
