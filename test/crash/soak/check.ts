import { operations } from "../../../packages/engine/src/generated/operations.js";
import { findContractViolation } from "../../../packages/engine/src/request/contract-check.js";
import { isRecord } from "../request.js";
import type { GeneratedRequest } from "./requests.js";

export interface ReceivedResponse {
  status: number;
  mediaType: string;
  text: string;
}

/** Returns the parsed body; undefined when there is none. */
export const bodyOf = ({ text }: ReceivedResponse): unknown => (text === "" ? undefined : JSON.parse(text));

const codeOf = (body: unknown): string | null => {
  const error = isRecord(body) ? body["error"] : undefined;
  const code = isRecord(error) ? error["code"] : undefined;
  return typeof code === "string" ? code : null;
};

const isOperation = (id: string): id is keyof typeof operations => id in operations;

const maxHeadBytes = 65_536;

/** Returns whether the path, the query and the headers exceed the limit of the server. The client adds short headers. */
const isTooLarge = ({ path, headers }: GeneratedRequest): boolean =>
  path.length + Object.entries(headers).join("").length > maxHeadBytes;

/** Returns how a response breaks the contract; undefined if it does not. */
export const defectOf = (request: GeneratedRequest, response: ReceivedResponse): string | undefined => {
  const { operation } = request;
  const { status, mediaType, text } = response;
  if (status >= 500) return `It has the status ${String(status)}: ${text.slice(0, 500)}`;
  const isRefused = status === 431;
  if (isRefused !== isTooLarge(request)) return `It has the status ${String(status)}`;
  if (operation === undefined || !isOperation(operation.id)) return undefined;
  if (text !== "" && !mediaType.startsWith("application/json")) return `It has the media type ${mediaType}`;
  let body: unknown;
  try {
    body = bodyOf(response);
  } catch {
    return `It has no valid JSON: ${text.slice(0, 500)}`;
  }
  const code = codeOf(body);
  if (status >= 400 && code === null) return `It has the status ${String(status)} and no error code`;
  if (isRefused) return code === "request:headers_too_large" ? undefined : `It has the code ${String(code)}`;
  return findContractViolation(operations[operation.id], { status, code, body });
};
