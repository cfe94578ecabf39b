import { publicCodes } from "../generated/public-codes.js";
import type { Outcome } from "./message.js";

/** Codes that the public service has too. */
const shared: readonly string[] = ["approval_required", "approval:denied", "app:already_exists"];

/** Returns the refusal of a request with the public service's code for its status, if there is one. */
export const withPublicCode = (outcome: Outcome): Outcome => {
  if (outcome.code === null || shared.includes(outcome.code)) return outcome;
  const code = publicCodes[outcome.status];
  if (code === undefined) return outcome;
  // `refusal` builds the body of every outcome with a code.
  const { error } = outcome.body as { error: object };
  return { ...outcome, code, body: { error: { ...error, code } } };
};
