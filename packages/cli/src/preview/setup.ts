import { setTimeout as pause } from "node:timers/promises";
import type { Context } from "../input/context.js";
import { setupRunningError } from "../errors/preview-errors.js";
import { describeCause } from "../errors/cli-error.js";
import { buildInheritedEnvironment } from "../system/find-program.js";
import type { DatabaseAccess } from "../postgres/database-access.js";
import { runForExitStatus } from "../system/run-program.js";
import type { SetupSession, SetupState } from "./setup-session.js";

/** The command that prepares the data of a preview, and when it runs. */
export interface SetupRun {
  /** Git branch. */
  readonly branch: string;
  /** Shell command that prepares a preview. */
  readonly command: string;
  /** Whether to run it also if one has succeeded already. */
  readonly runsAgain: boolean;
  /** Name of the variable with the connection string. */
  readonly variable: string;
  /** How long to wait for the setup of another run. */
  readonly timeoutMs: number;
  /** Called before the command runs. */
  readonly onStart: () => Promise<void>;
}

/** Interval between checks whether the setup of another run has finished, in milliseconds. */
const lockPollMs = 500;

/**
 * Runs the setup of a preview unless one has succeeded. Concurrent runs wait for each other.
 *
 * @returns its exit status, or undefined if it did not run.
 * @throws `database:unreachable`; `preview:setup_running`.
 */
export const runSetupOnce = async (
  setup: SetupRun,
  access: DatabaseAccess,
  context: Context,
): Promise<number | undefined> => {
  const { output, signal } = context;
  const { branch, command, runsAgain, variable } = setup;
  const { databaseId } = access;
  const { SetupSession } = await import("./setup-session.js");
  const session = await SetupSession.open(access, context);
  try {
    await waitForLock(session, setup, context);
    const state = runsAgain ? "none" : await readSetupState(session, signal);
    if (state !== "none") {
      if (state === "unknown") {
        const message = `It is not known whether the setup of ${branch} has succeeded, so it did not run. --setup-again runs it.`;
        output.notice({ code: "preview:setup_unknown", message, databaseId });
      } else {
        output.info(
          `The setup did not run, because one has succeeded for the preview of ${branch}. --setup-again runs it.`,
        );
      }
      return undefined;
    }
    await setup.onStart();
    output.info(`Running the setup: ${command}`);
    const status = await runInShell(command, { [variable]: access.url }, context);
    signal.throwIfAborted();
    if (status === 0) await recordSuccess(session, branch, databaseId, context);
    return status;
  } finally {
    await session.close();
  }
};

const waitForLock = async (
  session: SetupSession,
  { branch, timeoutMs }: SetupRun,
  { output, signal }: Context,
): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (let isAnnounced = false; !(await session.tryLock()); isAnnounced = true) {
    if (performance.now() > deadline) throw setupRunningError(branch);
    if (!isAnnounced) output.info(`Waiting for another run of the setup of ${branch}.`);
    await pause(lockPollMs, undefined, { signal }).catch(() => signal.throwIfAborted());
  }
};

const readSetupState = async (session: SetupSession, signal: AbortSignal): Promise<SetupState> => {
  try {
    return await session.readState();
  } catch {
    signal.throwIfAborted();
    return "unknown";
  }
};

const recordSuccess = async (
  session: SetupSession,
  branch: string,
  databaseId: string,
  { output, signal }: Context,
): Promise<void> => {
  try {
    await session.recordDone();
  } catch (error) {
    signal.throwIfAborted();
    const message = `The setup of ${branch} has succeeded, but that cannot be recorded in the database: ${describeCause(error)}. The next mgmt preview up with --setup runs it again.`;
    await output.warn({ code: "preview:setup_not_recorded", message, databaseId });
  }
};

/**
 * Runs a command in a shell, with the connection string in its environment. Its output goes to standard error, because standard output is
 * for the result. Returns its exit status.
 */
const runInShell = (
  command: string,
  variables: Readonly<Record<string, string>>,
  { env, cwd, interruption }: Pick<Context, "env" | "cwd" | "interruption">,
): Promise<number> => {
  const [shell, args] =
    process.platform === "win32"
      ? [env["ComSpec"] ?? "cmd.exe", ["/d", "/s", "/c", command]]
      : ["/bin/sh", ["-c", command]];
  return runForExitStatus(shell, args, {
    cwd,
    env: { ...buildInheritedEnvironment(env), ...variables },
    stdio: ["ignore", 2, 2],
    interruption,
    // The run stops with the signal once the setup has finished.
    onSignal: (signal) => interruption.interrupt(signal),
    notFoundHint: "Install a shell, or run the setup yourself with mgmt run.",
  });
};
