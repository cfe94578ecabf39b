import { Client, type ClientConfig, DatabaseError } from "pg";
import { isTemporaryError, toUnavailableError } from "./unavailable.js";

/** SQLSTATE classes of a rejected login: invalid authorization, and operator intervention. */
const rejectedLoginPattern = /^(28|57)/;

/** A login role and the password to check. */
export interface LoginCredentials {
  user: string;
  password: string;
  /** A database to which it may connect. */
  database: string;
}

/**
 * Returns whether Postgres accepts the password of a login: also false if it accepts any password, or when the session does not start in
 * time.
 *
 * @throws DatabaseUnavailableError when Postgres cannot be reached.
 */
export const acceptsPassword = async (
  address: ClientConfig,
  { user, password, database }: LoginCredentials,
): Promise<boolean> => {
  let isPasswordRequested = false;
  const providePassword = (): string => {
    isPasswordRequested = true;
    return password;
  };
  const client = new Client({ ...address, user, password: providePassword, database });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return isPasswordRequested;
  } catch (error) {
    const rejection = error instanceof DatabaseError ? error : undefined;
    // Postgres rejects a session for other reasons, such as too many connections, only after it has accepted the password.
    if (isPasswordRequested)
      return rejection !== undefined && !rejectedLoginPattern.test(rejection.code ?? "");
    if (rejection === undefined || isTemporaryError(rejection)) throw toUnavailableError(error);
    return false;
  } finally {
    await client.end();
  }
};
