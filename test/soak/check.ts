import { operations } from "../../packages/engine/src/generated/operations.js";
import { contractViolation } from "../../packages/engine/src/request/contract-check.js";
import { isRecord } from "../crash/mgmt-dev.js";
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

/** Returns how a response breaks the contract; undefined if it does not. */
export const defectOf = ({ operation }: GeneratedRequest, response: ReceivedResponse): string | undefined => {
  const { status, mediaType, text } = response;
  if (status >= 500) return `It has the status ${String(status)}: ${text.slice(0, 500)}`;
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
  return contractViolation(operations[operation.id], { status, code, body });
};
