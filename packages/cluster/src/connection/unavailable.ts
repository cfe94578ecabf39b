import { DatabaseUnavailableError } from "@mgmt/engine";
import { DatabaseError } from "pg";
import { isDiskFullError } from "./disk-full.js";

/**
 * Codes of temporary errors: connection exceptions, a lack of resources (a full disk, too many connections), lock timeouts,
 * and the end of a session.
 * See https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const temporaryCodePattern = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;

/** Returns the error for work that can be retried. */
export const toUnavailableError = (cause: unknown): DatabaseUnavailableError => {
  if (isDiskFullError(cause))
    return new DatabaseUnavailableError("The disk of Postgres is full", {
      cause,
      reason: "its disk is full",
    });
  if (isOutOfLocksError(cause))
    return new DatabaseUnavailableError("All locks of Postgres are taken", {
      cause,
      reason: "all locks of Postgres are taken",
    });
  return new DatabaseUnavailableError("Postgres cannot be reached", { cause });
};

/**
 * Returns whether Postgres rejected a statement or a connection because sessions hold all locks that the server has, for which Postgres has
 * no SQLSTATE but `out_of_memory`. A transaction with such a statement has changed nothing.
 */
export const isOutOfLocksError = (error: unknown): boolean => {
  const { code, file } = findDatabaseError(error) ?? {};
  return code === "53200" && file === "lock.c";
};

/** Returns whether a retry can succeed. */
export const isTemporaryError = ({ code }: DatabaseError): boolean => temporaryCodePattern.test(code ?? "");

/** Returns whether Postgres rejected a statement. All other errors of the driver are about the connection, or temporary. */
export const isRejectedStatementError = (error: unknown): error is DatabaseError =>
  error instanceof DatabaseError && !isTemporaryError(error);

/**
 * Runs a callback that uses connections to Postgres.
 *
 * @throws DatabaseUnavailableError when Postgres cannot be reached or the connection is lost; DatabaseError when Postgres
 *   rejects a statement.
 */
export const wrapConnectionErrors = async <T>(callback: () => Promise<T>): Promise<T> => {
  try {
    return await callback();
  } catch (error) {
    throw isRejectedStatementError(error) ? error : toUnavailableError(error);
  }
};

/** Returns the error of Postgres that is the cause of an error; undefined when there is none. */
export const findDatabaseError = (error: unknown): DatabaseError | undefined => {
  if (error instanceof DatabaseError) return error;
  return error instanceof Error ? findDatabaseError(error.cause) : undefined;
};

/** A resource that Postgres lacks. */
export interface ResourceShortage {
  /** The problem, as the end of a sentence without a full stop. */
  readonly description: string;
  /** The advice for the operator, as a sentence without a full stop. */
  readonly hint: string;
}

/**
 * Returns the resource that Postgres lacked when work failed; undefined when it failed for another reason.
 *
 * @param directory a directory on the disk of Postgres, for the messages. Default: unknown.
 */
export const findResourceShortage = (error: unknown, directory?: string): ResourceShortage | undefined => {
  if (isDiskFullError(error)) {
    const disk = directory === undefined ? "the disk of Postgres" : `the disk of ${directory}`;
    return { description: `${disk} is full`, hint: "Free at least 100 MB there" };
  }
  if (!(error instanceof Error)) return undefined;
  if (isOutOfLocksError(error))
    return {
      description: "all locks of Postgres are taken",
      hint: "End sessions that hold many locks, or raise max_locks_per_transaction",
    };
  if (!(error instanceof DatabaseError) || error.code?.startsWith("53") !== true)
    return findResourceShortage(error.cause, directory);
  switch (error.code) {
    case "53200":
      return { description: "Postgres has no memory left", hint: "End other programs on its machine" };
    case "53300":
      return { description: "Postgres has no connections left", hint: "Close connections to databases" };
    default:
      return {
        description: `Postgres lacks resources (Postgres error ${error.code})`,
        hint: "Read the log of Postgres, and end programs that use too much",
      };
  }
};
