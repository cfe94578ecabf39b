import type { JobRow } from "../context/server-rows.js";
import { isDead } from "./job-attempts.js";

/** A job of a stored server, for its operator. */
export interface StoredJob {
  readonly id: string;
  /** Names the work: `database.provision`. */
  readonly kind: string;
  /** Id of the row that the job works on. */
  readonly subject: string;
  /**
   * `waiting`: it runs when it is due. `running`: a running process has it, and runs it or keeps it until it can reach Postgres. `dead`: it
   * has failed so often that it runs only when it is retried.
   */
  readonly state: "waiting" | "running" | "dead";
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** When the job is due, in milliseconds since 1970: 0 if it was due immediately, null if it is dead. */
  readonly dueAt: number | null;
  /** Whether the process lives that has the job; null when none has it. */
  readonly isOwnerAlive: boolean | null;
  /** How often the job has failed, or its process has exited while it had the job. */
  readonly attempts: number;
  /** The names and codes of the last error and its causes; null for a job that has not failed. */
  readonly lastError: string | null;
}

/** @param liveOwners the sessions of processes that have not ended. */
export const serializeJob = (row: JobRow, liveOwners: ReadonlySet<string>): StoredJob => {
  const { id, kind, subject, createdAt, dueAt, owner, attempts = 0, lastError = null } = row;
  const isOwnerAlive = owner === null ? null : liveOwners.has(owner);
  const liveState = isOwnerAlive === true ? "running" : "waiting";
  return {
    ...{ id, kind, subject, createdAt, attempts, lastError, isOwnerAlive },
    state: isDead(row) ? "dead" : liveState,
    dueAt: isDead(row) ? null : dueAt,
  };
};
