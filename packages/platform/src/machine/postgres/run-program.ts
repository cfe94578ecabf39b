import { spawn } from "node:child_process";
import { readErrorCode } from "@mgmt/internal/errors/error-code";
import type { SystemAccount } from "../data-dir/postgres-account.js";

/** How a program ended, and what it has printed. */
export interface ProgramResult {
  /** Exit status; null when a signal terminated the program or it did not start. */
  status: number | null;
  stdout: string;
  /** Standard error, or the reason why the program did not start. */
  stderr: string;
  /** Code of the system error for which the program did not start, such as `EAGAIN`. */
  startError?: string | undefined;
}

/** A minimal environment: `PG*` variables and locales of the user would change how Postgres behaves. */
export const postgresEnvironment: NodeJS.ProcessEnv = { PATH: "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" };

/** Runs a program and waits for its end. Aborting the signal kills it. Never rejects. */
export const runProgram = (
  program: string,
  parameters: readonly string[],
  options: {
    account?: SystemAccount | undefined;
    cwd?: string;
    inheritedDescriptor?: number;
    input?: string;
    signal?: AbortSignal | undefined;
  } = {},
): Promise<ProgramResult> =>
  new Promise((resolve) => {
    const result: ProgramResult = { status: null, stdout: "", stderr: "" };
    const child = spawn(program, parameters, {
      ...options.account,
      cwd: options.cwd ?? "/",
      env: postgresEnvironment,
      ...(options.signal && { signal: options.signal, killSignal: "SIGKILL" }),
      stdio: [
        options.input === undefined ? "ignore" : "pipe",
        "pipe",
        "pipe",
        options.inheritedDescriptor ?? "ignore",
      ],
    });
    // A program that ends early does not read all of its input. Its exit status explains why.
    child.stdin?.on("error", () => undefined);
    child.stdin?.end(options.input);
    child.stdout?.setEncoding("utf8").on("data", (text: string) => (result.stdout += text));
    child.stderr?.setEncoding("utf8").on("data", (text: string) => (result.stderr += text));
    child.on("error", (error) =>
      resolve({ ...result, stderr: error.message, startError: readErrorCode(error) }),
    );
    child.on("close", (status) => resolve({ ...result, status }));
  });
