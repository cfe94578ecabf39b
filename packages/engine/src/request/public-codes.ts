import { operationPublicCodes, publicCodes } from "../generated/public-codes.js";
import type { PipelineOutcome } from "../values/message.js";

/** Codes that Prisma's Management API has too. */
const sharedCodes: readonly string[] = ["approval_required", "approval:denied", "app:already_exists"];

/** Returns the rejection of a request with the code of Prisma's Management API for its operation and status, if there is one. */
export const replaceWithPublicCode = (
  outcome: PipelineOutcome,
  operationId: string | undefined,
): PipelineOutcome => {
  if (outcome.code === null || sharedCodes.includes(outcome.code)) return outcome;
  const operationCodes = operationId === undefined ? undefined : operationPublicCodes[operationId];
  const code = operationCodes?.[outcome.status] ?? publicCodes[outcome.status];
  if (code === undefined) return outcome;
  // `toErrorOutcome` builds the body of every outcome with a code.
  const { error } = outcome.body as { error: object };
  return { ...outcome, code, body: { error: { ...error, code } } };
};
