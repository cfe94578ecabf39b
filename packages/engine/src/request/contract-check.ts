import { type OperationEntry, type OperationId, operations } from "../generated/operations.js";
import { responseValidators } from "#validators";
import { toIssues } from "./issues.js";
import type { PipelineOutcome } from "../values/message.js";

/**
 * Returns an operation whose contract has a response that is due to the settings: an approval or a rate limit that the
 * contract does not have for this operation. Returns undefined for every other response.
 */
export const findSubstituteOperationId = (
  operation: OperationEntry,
  code: string | null,
): OperationId | undefined => {
  if (code === "rate_limit:exceeded" && !operation.rateLimited) return "apps.list";
  const isApproval = code === "approval_required" || code === "approval:denied";
  const isInContract = operation.agentApproval !== null || operation.approvalFields.length > 0;
  return isApproval && !isInContract ? "projects.delete" : undefined;
};

/**
 * Returns how a response violates the contract, including fields that the contract does not define; undefined if it
 * does not.
 */
export const findContractViolation = (
  operation: OperationEntry,
  response: Pick<PipelineOutcome, "status" | "code" | "body" | "json">,
): string | undefined => {
  const { status, code, json } = response;
  const responseLabel = `${operation.id} returned ${String(status)}${code === null ? "" : ` ${code}`}`;
  const substituteOperationId = findSubstituteOperationId(operation, code);
  if (substituteOperationId !== undefined)
    return findContractViolation(operations[substituteOperationId], response);
  const codes = operation.responses[status];
  if (!codes) return `${responseLabel}: a status that the contract does not list`;
  if (code !== null && !codes.includes(code))
    return `${responseLabel}: a code that the contract does not list there`;
  const body: unknown = json === undefined ? response.body : JSON.parse(json);
  const validator = responseValidators[operation.id]?.[String(status)];
  if (!validator)
    return body === undefined ? undefined : `${responseLabel} with a body: the contract has none`;
  if (validator(body)) return undefined;
  const issues = toIssues(validator.errors ?? [], (pointer) => pointer);
  return `${responseLabel} with a body that breaks the contract: ${issues.map(({ path, message }) => `${path} ${message}`).join("; ")}`;
};
