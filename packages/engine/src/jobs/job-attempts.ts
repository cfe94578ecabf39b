import type { JobRow } from "../context/server-rows.js";
import { DeadJobError } from "./job-handler.js";
import { computeRetryDelay, failureDelays } from "./retry-delay.js";
import type { JobTable } from "./table-scheduler.js";

/** Number of attempts after which a job is dead. */
export const maxAttempts = 10;

/** The latest time that a `Date` can have. A job with this time is never due, also for programs that know no dead jobs. */
export const neverDueAt = 8_640_000_000_000_000;

const maxCauses = 3;
const wordPattern = /^[\w.:-]{1,80}$/;

/**
 * Returns the names and codes of an error and its causes. Messages are left out, because they may have secrets, such as a part of a
 * statement or of a connection string.
 */
export const describeError = (error: unknown): string => {
  const descriptions: string[] = [];
  for (
    let current = error;
    current instanceof Error && descriptions.length <= maxCauses;
    current = current.cause
  ) {
    const code: unknown = Reflect.get(current, "code");
    // Most classes of errors get their name from their constructor.
    const name = current.name === "Error" ? current.constructor.name : current.name;
    const words = [name, ...(typeof code === "string" ? [code] : [])];
    descriptions.push(words.filter((word) => wordPattern.test(word)).join(" ") || "Error");
  }
  return descriptions.join(", caused by ") || "Not an error";
};

/** The `lastError` of a job whose process has exited, or has lost Postgres, while it had the job. */
const processExitedError = "ProcessEnded";

/** Returns the fields of a job after an attempt that has failed. Any process may run it when it is due again. */
export const buildFailedFields = (
  { attempts: earlierAttempts = 0 }: JobRow,
  { lastError, time, random }: { readonly lastError: string; readonly time: number; readonly random: number },
): Pick<JobRow, "owner" | "dueAt" | "attempts" | "lastError" | "diedAt"> => {
  const attempts = earlierAttempts + 1;
  return {
    owner: null,
    attempts,
    lastError,
    ...(attempts >= maxAttempts
      ? { dueAt: neverDueAt, diedAt: time }
      : { dueAt: time + computeRetryDelay(failureDelays, attempts, random) }),
  };
};

/**
 * Returns the changed fields of a job that a process claims. Counts an attempt if the process that had claimed the job has exited: the job
 * may have crashed it, and would crash all others.
 *
 * @param isDelayed whether the job is delayed instead if that has happened before.
 */
export const buildClaimFields = (
  row: JobRow,
  ownProcess: {
    readonly currentSession: string;
    /** All sessions that the process has had. Closed sessions have lost Postgres. */
    readonly ownSessions: ReadonlySet<string>;
  },
  { isDelayed, ...attempt }: { readonly time: number; readonly random: number; readonly isDelayed: boolean },
): Partial<JobRow> => {
  const { owner, attempts: earlierAttempts = 0 } = row;
  if (owner === null || ownProcess.ownSessions.has(owner)) return { owner: ownProcess.currentSession };
  const failedFields = buildFailedFields(row, { lastError: processExitedError, ...attempt });
  if (failedFields.diedAt !== undefined || (isDelayed && earlierAttempts > 0)) return failedFields;
  return { owner: ownProcess.currentSession, attempts: earlierAttempts + 1, lastError: processExitedError };
};

/** Returns whether a job has failed so often that it is not repeated until an operator requests it. */
export const isDead = ({ diedAt }: JobRow): boolean => diedAt !== undefined;

/** Returns the report of a dead job. */
export const createDeadJobError = ({
  id,
  kind,
  subject,
  attempts = 0,
  lastError = "",
}: JobRow): DeadJobError =>
  new DeadJobError(
    `The job ${id} (${kind} of ${subject}) is not repeated, because ${String(attempts)} attempts have failed. ` +
      `The last error: ${lastError}. Retry the job when its cause is gone.`,
  );

/**
 * Makes failed jobs due that no process has, as if they had not failed. Their last error stays.
 *
 * @param ids default: the ids of all dead jobs.
 * @returns the ids of these jobs.
 */
export const resetFailedJobs = (jobs: JobTable, ids?: readonly string[]): string[] => {
  const rows = ids === undefined ? jobs.list({}).filter(isDead) : ids.flatMap((id) => jobs.get(id) ?? []);
  const failedRows = rows.filter(({ owner, attempts = 0 }) => owner === null && attempts > 0);
  for (const { id } of failedRows) jobs.update(id, { attempts: 0, dueAt: 0, diedAt: undefined });
  return failedRows.map(({ id }) => id);
};
