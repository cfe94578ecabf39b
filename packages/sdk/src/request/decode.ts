import type { ApiError } from "../errors/api-error.js";
import type { PagingError, PagingFault } from "../errors/paging-error.js";
import { type MgmtError, kindsKey } from "../errors/mgmt-error.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import { maskInspection } from "#masked-inspection";

/** The problem of the body of a 2xx response, unless it does not match the contract. */
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
export const decodeResponse = <T>(
  message: Message,
  response: TransportResponse,
  readBody: ReadBody<T>,
  load: () => Promise<ResponseErrors>,
): T | Promise<never> => {
  const { status, body, unread } = response;
  const isSuccess = status >= 200 && status <= 299;
  // Nobody takes the value of a call with `asResponse()`.
  if (isSuccess && unread) return unread as T;
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
  return load().then(
    (steps) => {
      throw steps.responseError(message, response, fault);
    },
    (error: MgmtError) => {
      throw isSuccess ? error : addApiErrorProperties(error, message, response, json);
    },
  );
};

/** Adds the properties that programs decide by to the error of a response whose own error could not be loaded. */
const addApiErrorProperties = (
  error: MgmtError,
  { method, path }: Message,
  { status, headers }: TransportResponse,
  json: unknown,
): MgmtError => {
  // The check below makes it a string.
  const { code } = (json as { error?: { code?: unknown } } | undefined)?.error ?? {};
  const codeOrStatus = typeof code === "string" ? code : `http:${status}`;
  // Every error of the SDK has its kinds there.
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
  // The contract says which object it is.
  const { data } = (body ?? {}) as { data?: T | null };
  return data === undefined || data === null ? undefined : { value: data };
};
