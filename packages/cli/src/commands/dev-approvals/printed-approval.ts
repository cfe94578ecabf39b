import { unexpectedResponseError } from "../../errors/response-errors.js";
import { isObject } from "../../json/json-path.js";

/** An approval, as `mgmt dev approvals` prints it. */
export interface PrintedApproval {
  readonly id: string;
  readonly status: string;
  /** Method and path. */
  readonly request: string;
  readonly operationId: string;
  readonly agentId: string;
  readonly sponsorId: string;
  readonly projectId: string | null;
  /** ISO 8601, like the times below. */
  readonly expiresAt: string | null;
  /** Until when the operation is approved, if it is approved for a time. */
  readonly windowExpiresAt: string | null;
  readonly decidedAt: string | null;
}

/** The fields that people need, with times as the API writes them. */
export const parseApproval = (row: unknown): PrintedApproval => {
  if (!isObject(row)) throw unexpectedResponseError("an approval");
  const readText = (name: string): string => {
    const value = row[name];
    if (typeof value !== "string") throw unexpectedResponseError(`an approval with ${name}`);
    return value;
  };
  const readTime = (name: string): string | null => {
    const value = row[name];
    return typeof value === "number" ? new Date(value).toISOString() : null;
  };
  return {
    id: readText("id"),
    status: readText("status"),
    request: readText("request"),
    operationId: readText("operationId"),
    agentId: readText("agentId"),
    sponsorId: readText("sponsorId"),
    projectId: row["projectId"] === null ? null : readText("projectId"),
    expiresAt: readTime("expiresAt"),
    windowExpiresAt: readTime("windowExpiresAt"),
    decidedAt: readTime("decidedAt"),
  };
};
