import { DatabaseUnavailableError } from "@mgmt/engine";
import type { DatabaseError } from "pg";
import { isDiskFull } from "../platform-error.js";

/**
 * Codes of temporary errors: connection exceptions, a lack of resources (a full disk, too many connections), lock timeouts,
 * and the end of a session.
 * See https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;

/** Returns the error for work that can be retried. */
export const unavailable = (cause: unknown): DatabaseUnavailableError =>
  isDiskFull(cause)
    ? new DatabaseUnavailableError("The disk of Postgres is full", { cause, reason: "its disk is full" })
    : new DatabaseUnavailableError("Postgres cannot be reached", { cause });

/** Returns whether a retry can succeed. */
export const isTemporary = ({ code }: DatabaseError): boolean => codes.test(code ?? "");
