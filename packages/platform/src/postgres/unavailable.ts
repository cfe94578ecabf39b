import { DatabaseUnavailableError } from "@mgmt/engine";
import type { DatabaseError } from "pg";
import { isDiskFull } from "../platform-error.js";

/**
 * Codes of errors that end when Postgres is back or less busy: connection exceptions, a lack of resources (a full disk, too many
 * connections), locks that could not be had in time, and the end of a session.
 * See https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;

/** Returns the error for work that can be repeated. */
export const unavailable = (cause: unknown): DatabaseUnavailableError =>
  isDiskFull(cause)
    ? new DatabaseUnavailableError("The disk of Postgres is full", { cause, reason: "its disk is full" })
    : new DatabaseUnavailableError("Postgres cannot be reached", { cause });

/** Returns whether a repetition can succeed. */
export const isTemporary = ({ code }: DatabaseError): boolean => codes.test(code ?? "");
