import { Client, type ClientConfig, DatabaseError } from "pg";
import { isTemporary, toUnavailableError } from "./unavailable.js";

/** A login role and the password to check. */
export interface Login {
  user: string;
  pass: string;
  /** A database to which it may connect. */
  database: string;
}

/**
 * Returns whether Postgres accepts the password of a login: false also when it lets everybody in, or when the session does not
 * start in time.
 *
 * @throws DatabaseUnavailableError when Postgres cannot be reached.
 */
export const acceptsPassword = async (
  address: ClientConfig,
  { user, pass, database }: Login,
): Promise<boolean> => {
  let isPasswordRequested = false;
  const password = (): string => {
    isPasswordRequested = true;
    return pass;
  };
  const client = new Client({ ...address, user, password, database });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return isPasswordRequested;
  } catch (error) {
    const refusal = error instanceof DatabaseError ? error : undefined;
    // Postgres refuses a session for other reasons, such as too many connections, only after it has accepted the password.
    if (isPasswordRequested) return refusal !== undefined && !/^(28|57)/.test(refusal.code ?? "");
    if (refusal === undefined || isTemporary(refusal)) throw toUnavailableError(error);
    return false;
  } finally {
    await client.end();
  }
};
