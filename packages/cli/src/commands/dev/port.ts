import { usageError } from "../../errors/usage-errors.js";

/** The port of the contract's default server. */
export const defaultPort = 4300;

/** Parses the value of `--port`. Throws `usage:invalid`. */
export const parsePort = (rawPort: string | undefined): number => {
  if (rawPort === undefined) return defaultPort;
  const port = /^\d{1,5}$/.test(rawPort) ? Number(rawPort) : NaN;
  if (!(port <= 65_535)) {
    throw usageError(`--port must be a number from 0 to 65535, not ${JSON.stringify(rawPort)}`);
  }
  return port;
};
