import { readErrorCode } from "@mgmt/internal/errors/error-code";
/** Codes of errors about a full disk or an exhausted quota: of the system, and of Postgres. */
const diskFullCodes: ReadonlySet<unknown> = new Set(["ENOSPC", "EDQUOT", "53100"]);

/** Returns whether an error, or one of its causes, indicates that a disk is full. */
export const isDiskFullError = (error: unknown): boolean =>
  error instanceof Error && (diskFullCodes.has(readErrorCode(error)) || isDiskFullError(error.cause));
