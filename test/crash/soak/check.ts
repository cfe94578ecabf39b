import { operations } from "../../../packages/engine/src/generated/operations.js";
import { findContractViolation } from "../../../packages/engine/src/request/contract-check.js";
import { textAt } from "../request.js";
import type { GeneratedRequest } from "./requests.js";

export interface ReceivedResponse {
  status: number;
  mediaType: string;
  text: string;
}

/** Returns the parsed body; undefined when there is none. */
export const bodyOf = ({ text }: ReceivedResponse): unknown => (text === "" ? undefined : JSON.parse(text));

const isOperation = (id: string): id is keyof typeof operations => id in operations;

const maxHeadBytes = 65_536;

/** Returns how a response breaks the contract; undefined if it does not. Throws if it is not JSON. */
export const defectOf = (request: GeneratedRequest, response: ReceivedResponse): string | undefined => {
  const { operation, path, headers } = request;
  const { status, mediaType, text } = response;
  if (status >= 500) return `It has the status ${String(status)}: ${text.slice(0, 500)}`;
  // The client adds short headers.
  const isTooLarge = path.length + Object.entries(headers).join("").length > maxHeadBytes;
  if ((status === 431) !== isTooLarge) return `It has the status ${String(status)}`;
  if (operation === undefined || !isOperation(operation.id)) return undefined;
  if (text !== "" && !mediaType.startsWith("application/json")) return `It has the media type ${mediaType}`;
  const body = bodyOf(response);
  const code = textAt(body, "error", "code") || null;
  if (status >= 400 && code === null) return `It has the status ${String(status)} and no error code`;
  if (isTooLarge) return code === "request:headers_too_large" ? undefined : `It has the code ${String(code)}`;
  return findContractViolation(operations[operation.id], { status, code, body });
};
