import { type ChildProcess, spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { Writable } from "node:stream";
// Tests may replace the global functions, so these are imported.
import { clearTimeout, setTimeout } from "node:timers";
import { platformErrors } from "../errors/platform-error.js";
import type { DatabaseTestSettings, SetupContext } from "./kit-options.js";

/** How to connect to a database. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** Returns the connection string of a database, with its password. */
export const toConnectionString = ({ host, port, database, user, password }: DatabaseAddress): string =>
  `postgresql://${user}:${password}@${host}:${String(port)}/${database}`;

/**
 * Returns the variables by which programs find a database: the variable that most libraries read, and the variables of the Postgres client
 * programs.
 */
export const toVariables = (address: DatabaseAddress): Record<string, string> => ({
  DATABASE_URL: toConnectionString(address),
  PGHOST: address.host,
  PGPORT: String(address.port),
  PGDATABASE: address.database,
  PGUSER: address.user,
  PGPASSWORD: address.password,
});

/** The end of the output that an error contains, in bytes. */
const maxOutputBytes = 8_192;

/** How long a command may take to end after SIGTERM, in milliseconds. */
const killDelayMs = 2_000;

/**
 * Runs the setup on a new database.
 *
 * @throws PlatformError `platform:test_setup_failed`, `platform:test_setup_timeout`. The password is not part of the output.
 */
export const runSetup = async (
  { setup, cwd, setupTimeoutMs }: DatabaseTestSettings,
  address: DatabaseAddress,
): Promise<void> => {
  if (setup === undefined) return;
  if (typeof setup === "function") return runFunction(setup, address, setupTimeoutMs);
  if (!existsSync(cwd)) throw platformErrors.testSetupFailed(`there is no directory ${cwd}`);
  return runCommand(setup, { cwd, address, timeoutMs: setupTimeoutMs });
};

const runFunction = async (
  setup: (context: SetupContext) => unknown,
  address: DatabaseAddress,
  timeoutMs: number,
): Promise<void> => {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const timedOut = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      controller.abort();
      reject(platformErrors.testSetupTimeout(timeoutMs, ""));
    }, timeoutMs);
  });
  const connectionString = toConnectionString(address);
  const setupDone = (async () => {
    try {
      await setup({ connectionString, signal: controller.signal });
    } catch (error) {
      const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
      throw platformErrors.testSetupFailed(redactPassword(message, address.password), error);
    }
  })();
  try {
    await Promise.race([setupDone, timedOut]);
  } finally {
    clearTimeout(timer);
  }
};

const redactPassword = (text: string, password: string): string => text.replaceAll(password, "***");

/** Variables of Postgres client programs, such as `PGSSLMODE`. Those of the user are for another server. */
const clientVariable = /^PG[A-Z]+$/;

const buildEnvironment = (address: DatabaseAddress): NodeJS.ProcessEnv => {
  const { NODE_TEST_CONTEXT: _, ...environment } = process.env;
  const names = Object.keys(environment).filter((name) => !clientVariable.test(name));
  return { ...Object.fromEntries(names.map((name) => [name, environment[name]])), ...toVariables(address) };
};

/**
 * Runs a command, and a guard beside it, which kills all processes of the group when its input ends without a line: after a timeout, or
 * because this process was killed.
 */
const guardedCommand = `(trap "" HUP INT TERM; read -r line <&3 || kill -KILL 0) >/dev/null 2>&1 &
exec /bin/sh -c "$1" 3<&-`;

const runCommand = (
  command: string,
  { cwd, address, timeoutMs }: { cwd: string; address: DatabaseAddress; timeoutMs: number },
): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn("/bin/sh", ["-c", guardedCommand, "mgmt-setup", command], {
      cwd,
      env: buildEnvironment(address),
      // Its own process group, so that a timeout ends everything that it has started.
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "pipe"],
    });
    const [, stdout, stderr, guardInput] = child.stdio;
    if (stdout === null || stderr === null || !(guardInput instanceof Writable))
      throw new Error("A program with pipes was started without them");
    // The guard may have been killed with the command.
    guardInput.on("error", () => undefined);
    let output = Buffer.alloc(0);
    const collect = (bytes: Buffer): void => {
      output = Buffer.concat([output, bytes]).subarray(-maxOutputBytes);
    };
    const readOutput = (): string => redactPassword(output.toString("utf8").trim(), address.password);
    let isTimedOut = false;
    const timer = setTimeout(() => {
      isTimedOut = true;
      terminateGroup(child);
      setTimeout(() => guardInput.destroy(), killDelayMs).unref();
      reject(platformErrors.testSetupTimeout(timeoutMs, readOutput()));
    }, timeoutMs);
    stdout.on("data", collect);
    stderr.on("data", collect);
    child.once("error", (error) => {
      clearTimeout(timer);
      reject(platformErrors.testSetupFailed(error.message, error));
    });
    // A program that the command leaves running may keep the output open, so this does not wait for its end for long.
    child.once("exit", (status, signal) => {
      clearTimeout(timer);
      if (isTimedOut) return;
      guardInput.end("\n");
      const finish = (): void => {
        stdout.destroy();
        stderr.destroy();
        if (status === 0) return resolve();
        const outcome = signal === null ? `it exited with status ${String(status)}` : `${signal} ended it`;
        const text = readOutput();
        reject(platformErrors.testSetupFailed(`${outcome}: ${command}${text === "" ? "" : `\n${text}`}`));
      };
      const outputTimer = setTimeout(finish, outputGraceMs);
      child.once("close", () => {
        clearTimeout(outputTimer);
        finish();
      });
    });
  });

const terminateGroup = ({ pid }: ChildProcess): void => {
  try {
    if (pid !== undefined) process.kill(-pid, "SIGTERM");
  } catch {
    // The process has exited.
  }
};

/** How long the output of a command that has finished may continue, in milliseconds. */
const outputGraceMs = 500;
