import { unexpectedResponse } from "../../errors/response-errors.js";
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
export const printedApproval = (row: unknown): PrintedApproval => {
  if (!isObject(row)) throw unexpectedResponse("an approval");
  const text = (name: string): string => {
    const value = row[name];
    if (typeof value !== "string") throw unexpectedResponse(`an approval with ${name}`);
    return value;
  };
  const time = (name: string): string | null => {
    const value = row[name];
    return typeof value === "number" ? new Date(value).toISOString() : null;
  };
  return {
    id: text("id"),
    status: text("status"),
    request: text("request"),
    operationId: text("operationId"),
    agentId: text("agentId"),
    sponsorId: text("sponsorId"),
    projectId: row["projectId"] === null ? null : text("projectId"),
    expiresAt: time("expiresAt"),
    windowExpiresAt: time("windowExpiresAt"),
    decidedAt: time("decidedAt"),
  };
};
