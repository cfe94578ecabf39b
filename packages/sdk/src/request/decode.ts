import { InvalidResponseError } from "../errors/api-error.js";
import { errorFrom } from "../errors/error-from.js";
import type { TransportResponse } from "../transport/transport.js";
import type { Message } from "./encode.js";
import type { Open } from "./request.js";

/** What `open` finds in the body of a good answer. Throws the `ApiError` of any other answer. */
export const decode = <T>(message: Message, answer: TransportResponse, open: Open<T>): T => {
  const { status, headers, body } = answer;
  if (status < 200 || status > 299) throw errorFrom(message, answer);
  const value = open(parse(message, answer), headers["x-request-id"]);
  if (value !== undefined) return value;
  throw invalidResponse(message, answer, body === "" ? "empty" : "not what the contract says");
};

/** Undefined for an empty body. */
const parse = (message: Message, answer: TransportResponse): unknown => {
  try {
    return answer.body === "" ? undefined : JSON.parse(answer.body);
  } catch {
    throw invalidResponse(message, answer, "not JSON");
  }
};

/** The body may hold secrets: it is not quoted. */
const invalidResponse = (
  { method, path }: Message,
  { status, headers }: TransportResponse,
  problem: string,
): InvalidResponseError =>
  new InvalidResponseError({
    status,
    code: "response:invalid",
    message: `${method} ${path} answered ${status}, but the body is ${problem}`,
    hint: "Check that baseUrl is the address of the Management API. Whether the call took effect is unknown.",
    requestId: headers["x-request-id"],
    method,
    path,
    details: {},
  });
