import { type OperationId, operations } from "../generated/operations.js";
import { responseValidators } from "../generated/validators.js";
import { readableIssues } from "./issues.js";
import type { OperationEntry } from "./operation.js";

/** An operation whose contract has the two responses that settings can add to every operation. */
const gated: OperationId = "projects.delete";

/** Returns whether an approval error is due to the settings: the contract requires no approval for this operation. */
export const isGatedBySettings = (operation: OperationEntry, code: string | null): boolean =>
  (code === "approval_required" || code === "approval:denied") && operation.agentApproval === null;

/**
 * Returns how a response violates the contract, including fields that the contract does not define; undefined if it
 * does not.
 */
export const contractViolation = (
  operation: OperationEntry,
  response: { status: number; code: string | null; body?: unknown },
): string | undefined => {
  const { status, code, body } = response;
  const what = `${operation.id} returned ${String(status)}${code === null ? "" : ` ${code}`}`;
  if (isGatedBySettings(operation, code)) return contractViolation(operations[gated], response);
  const codes = operation.responses[status];
  if (!codes) return `${what}: a status that the contract does not list`;
  if (code !== null && !codes.includes(code)) return `${what}: a code that the contract does not list there`;
  const validator = responseValidators[operation.id]?.[String(status)];
  if (!validator) return body === undefined ? undefined : `${what} with a body: the contract has none`;
  if (validator(body)) return undefined;
  const issues = readableIssues(validator.errors ?? [], (pointer) => pointer);
  return `${what} with a body that breaks the contract: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`;
};
