import { type ExecFileException, execFile } from "node:child_process";
import { AuthError, LoginRequiredError } from "../auth-error.js";
import { cliErrors } from "./cli-errors.js";
import { findCli } from "./find-cli.js";
import { buildPathVariables } from "@mgmt/internal/programs/program-files";

/** Long enough to unlock a system keyring, short enough that a prompt no one sees does not block a program forever. */
const cliTimeoutMs = 120_000;

/** The output of `mgmt auth token --output json`. */
export interface PrintedToken {
  token: string;
  baseUrl: string;
  /** When the token expires, in milliseconds since 1970; undefined if it is unknown. */
  expiresAt: number | undefined;
}

/**
 * Runs `mgmt auth token`, which refreshes the login if needed. The CLI alone reads and locks its files and the keyring, so
 * that this works wherever it stores the login. The token is passed through a pipe, never in arguments or files. Throws
 * `AuthError`.
 */
export const fetchTokenFromCli = async (
  profile: string | undefined,
  allowInsecureHttp: boolean,
  program: string | undefined,
): Promise<PrintedToken> => {
  const { file, args } = findCli(program);
  const flags = [
    "auth",
    "token",
    "--show-secrets", // The pipe is not the log that the command protects in CI.
    "--output",
    "json",
    ...(profile === undefined ? [] : [`--profile=${profile}`]),
    ...(allowInsecureHttp ? ["--insecure"] : []),
  ];
  const { error, stdout, stderr } = await runCli(file, [...args, ...flags]);
  if (error?.code === "ENOENT") throw cliErrors.commandNotFound();
  if (error?.killed) throw cliErrors.commandTimedOut(cliTimeoutMs);
  if (error) throw parseCliError(stderr, error);
  return parsePrintedToken(stdout);
};

interface CliExit {
  error: ExecFileException | null;
  stdout: string;
  stderr: string;
}

const runCli = (path: string, args: readonly string[]): Promise<CliExit> =>
  new Promise((resolve) => {
    // The program finds Node.js by the same folders.
    const env =
      process.platform === "win32" ? process.env : { ...process.env, ...buildPathVariables(process.env) };
    const options = { encoding: "utf8", timeout: cliTimeoutMs, windowsHide: true, env } as const;
    const child = execFile(path, args, options, (error, stdout, stderr) =>
      resolve({ error, stdout, stderr }),
    );
    child.stdin?.end();
  });

/** Builds the error that the CLI reported, with the CLI's message and hint. */
const parseCliError = (stderr: string, { code: status }: ExecFileException): AuthError => {
  for (const line of stderr.trim().split("\n").reverse()) {
    const { error } = parseJsonObject(line);
    if (typeof error !== "object" || error === null) continue;
    const { message, hint, code } = toObject(error);
    if (typeof message !== "string" || typeof code !== "string") continue;
    const cliHint = typeof hint === "string" ? hint : undefined;
    const cliError = cliErrors.tokenCommandFailed(`${message} (${code})`, cliHint);
    // The exit code of the CLI for a missing or rejected credential.
    return Number(status) === 4 ? new LoginRequiredError(message, cliError, cliHint) : cliError;
  }
  return cliErrors.tokenCommandFailed(`it ended with status ${String(status)}`, undefined);
};

const parsePrintedToken = (stdout: string): PrintedToken => {
  const { token, baseUrl, endsAt } = parseJsonObject(stdout);
  if (typeof token !== "string" || typeof baseUrl !== "string") throw cliErrors.unexpectedOutput();
  const expiresAt = typeof endsAt === "string" ? Date.parse(endsAt) : Number.NaN;
  return { token, baseUrl, expiresAt: Number.isNaN(expiresAt) ? undefined : expiresAt };
};

/** Parses a JSON object. The message of the error does not contain the message of the parser, which quotes the text. */
const parseJsonObject = (json: string): Record<string, unknown> => {
  try {
    return toObject(JSON.parse(json));
  } catch {
    return {};
  }
};

const toObject = (value: unknown): Record<string, unknown> =>
  // The check makes it an object; nothing is known of its fields.
  typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
