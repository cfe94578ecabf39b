import type { DatabaseError } from "pg";

/**
 * Codes of errors that end when Postgres is back or less busy: connection exceptions, a lack of resources (a full disk, too many
 * connections), locks that could not be had in time, and the end of a session.
 * See https://www.postgresql.org/docs/current/errcodes-appendix.html
 */
const codes = /^(08...|53...|55P03|57014|57P0[1-5]|25P03)$/;

/** Returns whether a repetition can succeed. */
export const isTemporary = ({ code }: DatabaseError): boolean => codes.test(code ?? "");
