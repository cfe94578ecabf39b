import { MgmtError } from "./mgmt-error.js";

/** Why a call that connects has ended after its resource existed. */
export type ConnectErrorCode = "connect:aborted" | "connect:no_database";

/**
 * A resource exists, but the call has no connection string for it.
 *
 * `connect:aborted`: a signal ended the call, and its reason is the `cause`. `connect:no_database`: the project has no database.
 */
export class ConnectError extends MgmtError {
  static override readonly kind: string = "ConnectError";
  declare readonly code: ConnectErrorCode;

  constructor(code: ConnectErrorCode, message: string, options: { hint: string; cause?: unknown }) {
    super(code, message, options);
  }
}

/** @param subject what exists, such as `Project proj_1`. */
export const createAbortedError = (subject: string, cause: unknown): ConnectError =>
  new ConnectError(
    "connect:aborted",
    `${subject} exists, but the call was aborted before it had a connection string`,
    {
      hint: "Call error.resume.connect() to go on, or delete what exists.",
      cause,
    },
  );

export const createNoDatabaseError = (projectId: string): ConnectError =>
  new ConnectError("connect:no_database", `Project ${projectId} has no database to connect to`, {
    hint: "Create one with databases.ensureAndConnect, or with projects.databases.create.",
  });
