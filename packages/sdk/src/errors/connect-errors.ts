import { MgmtError } from "./mgmt-error.js";

/**
 * A project exists, but the call has no connection string of its database.
 *
 * `connect:aborted`: a signal ended the call, and its reason is the `cause`. `connect:no_database`: the project has no database.
 */
export interface ConnectError extends MgmtError {
  readonly code: "connect:aborted" | "connect:no_database";
}

/** @param subject what exists, such as `Project proj_1`. */
export const createAbortedError = (subject: string, cause: unknown): MgmtError =>
  new MgmtError("connect:aborted", `${subject} exists, but the call was aborted before it had connected`, {
    hint: "Call error.resume.connect() to go on, or delete what exists.",
    cause,
  });

export const createNoDatabaseError = (projectId: string): MgmtError =>
  new MgmtError("connect:no_database", `Project ${projectId} has no database to connect to`, {
    hint: "Create one with databases.ensureAndConnect, or with projects.databases.create.",
  });
