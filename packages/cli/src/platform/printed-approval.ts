import { buildExampleId } from "../command-line/example-id.js";
import { idPrefixes } from "../contract/generated/id-prefixes.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { isObject } from "../json/json-path.js";

/** An id for examples. */
export const exampleApprovalId = buildExampleId(idPrefixes.approval);

/** An approval, as commands that decide it print it. */
export interface PrintedApproval {
  readonly id: string;
  readonly status: string;
  /** What the request does, in sentences, with the names of resources. */
  readonly effect: string;
  /** Method and path. */
  readonly request: string;
  readonly operationId: string;
  readonly agentId: string;
  readonly sponsorId: string;
  readonly projectId: string | null;
  /** ISO 8601, like the times below. */
  readonly expiresAt: string;
  /** Until when the operation is approved, if it is approved for a time. */
  readonly windowExpiresAt: string | null;
  readonly decidedAt: string | null;
}

/** Returns the printed fields of an approval. Throws `response:invalid` if it lacks one. */
export const toPrintedApproval = (approval: unknown): PrintedApproval => {
  if (!isObject(approval)) throw unexpectedResponseError("an approval");
  const readText = (name: string): string => {
    const value = approval[name];
    if (typeof value !== "string") throw unexpectedResponseError(`an approval with ${name}`);
    return value;
  };
  const readTextOrNull = (name: string): string | null => (approval[name] === null ? null : readText(name));
  return {
    id: readText("id"),
    status: readText("status"),
    effect: readText("effect"),
    request: readText("request"),
    operationId: readText("operationId"),
    agentId: readText("agentId"),
    sponsorId: readText("sponsorId"),
    projectId: readTextOrNull("projectId"),
    expiresAt: readText("expiresAt"),
    windowExpiresAt: readTextOrNull("windowExpiresAt"),
    decidedAt: readTextOrNull("decidedAt"),
  };
};
