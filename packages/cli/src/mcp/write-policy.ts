import { readOnlyServerError, userCredentialError } from "../errors/mcp-errors.js";
import type { ServiceSession } from "./service-session.js";

/** Whether a server may make changes. */
export interface WritePolicy {
  /** Whether changes are possible, and who has to agree to them. */
  readonly writes: "none" | "with_approval_of_sponsor" | "with_confirmation_of_user";
  /** Returns the reason why a tool or an operation cannot make changes. Undefined if it can. */
  readonly explainRejection: ((subject: string) => Error) | undefined;
}

/** The options of a server that limit changes. */
export interface WriteOptions {
  /** Whether to offer only read-only tools. */
  readonly isReadOnly: boolean;
  /** Whether calls with a user's own credential may make changes, after the user confirms each one. */
  readonly allowsUserWrites: boolean;
}

/** Determines from the options and the credential whether a server may make changes. */
export const resolveWritePolicy = async (
  session: ServiceSession,
  { isReadOnly, allowsUserWrites }: WriteOptions,
): Promise<WritePolicy> => {
  if (isReadOnly) return { writes: "none", explainRejection: readOnlyServerError };
  try {
    if (await session.isAgent()) return { writes: "with_approval_of_sponsor", explainRejection: undefined };
  } catch (error) {
    // Each call reports why the service cannot be reached.
    const problem = error instanceof Error ? error : new Error(String(error));
    return { writes: "none", explainRejection: () => problem };
  }
  return allowsUserWrites
    ? { writes: "with_confirmation_of_user", explainRejection: undefined }
    : { writes: "none", explainRejection: userCredentialError };
};
