import { once } from "node:events";
import { resolve } from "node:path";
import { isProgram } from "@mgmt/internal/programs/program-files";
import type { TerminationSignal } from "../errors/exit-codes.js";
import type { Interruption } from "../system/interruption.js";
import { buildProgramEnvironment, findProgram } from "../system/find-program.js";
import { isUnattended } from "../system/reader.js";

/** The properties of a terminal that a pager needs. */
export interface PagerTerminal {
  readonly isTTY?: boolean;
}

/**
 * Returns the pager's command line for a terminal, or undefined if there is none: no terminal, `--no-pager`, `NO_PAGER`, CI,
 * a coding agent, a dumb terminal, or a `PAGER` that is empty or `cat`.
 */
export const findPagerCommand = (
  terminal: PagerTerminal,
  env: NodeJS.ProcessEnv,
  isEnabled: boolean,
): string | undefined => {
  if (!isEnabled || !terminal.isTTY || env["NO_PAGER"] || isUnattended(env) || env["TERM"] === "dumb")
    return undefined;
  const command = (env["PAGER"] ?? "less").trim();
  return command === "" || command === "cat" ? undefined : command;
};

/** Shell commands that run the command that follows them. */
const shellWords: ReadonlySet<string> = new Set(["builtin", "command", "eval", "exec"]);

/**
 * Returns whether the program of a pager's command line can be run, judging by its first word: a shell would print a message about one
 * that cannot.
 */
export const canRunPager = (command: string, env: NodeJS.ProcessEnv): boolean => {
  const [word = ""] = command.split(/\s/, 1);
  // The shell decides about anything but plain words. Windows has several extensions of programs.
  const isPlain = /^[\w./+-]+(\s+[\w./+,:=@%-]+)*$/.test(command) && !shellWords.has(word);
  if (!isPlain || process.platform === "win32") return true;
  return word.includes("/") ? isProgram(resolve(word)) : findProgram(word, env) !== undefined;
};

/** A pager that shows its input on the terminal. */
export interface Pager {
  /** Writes text, and waits while the pager is slow. Returns false when the user has left the pager. */
  write(text: string): Promise<boolean>;
  /** Waits until the user leaves the pager. Returns all text if the pager could not be run, else undefined. */
  close(): Promise<string | undefined>;
}

/** Exit codes of a shell that cannot run a program, and of Windows' that does not find one. */
const notRunExitCodes: readonly unknown[] = [126, 127, 9009];

/**
 * Starts a pager. Until the user leaves it, only the first Ctrl-C interrupts the run: the pager handles the key itself, and the
 * shell must not get the terminal before the pager ends. SIGTERM and SIGHUP end the pager too.
 */
export const startPager = async (
  command: string,
  env: NodeJS.ProcessEnv,
  interruption?: Interruption,
): Promise<Pager> => {
  const { spawn } = await import("node:child_process");
  const child = spawn(command, {
    shell: true,
    stdio: ["pipe", "inherit", "inherit"],
    // Shows colors, and does not page output that fits on one screen. The user's own options take precedence.
    env: { ...buildProgramEnvironment(env), LESS: env["LESS"] ?? "FRX", LV: env["LV"] ?? "-c" },
  });
  const { stdin } = child;
  const exited = once(child, "exit").then(
    ([code]: unknown[]) => code,
    () => notRunExitCodes[0],
  );
  const receiveSignal = (signal: TerminationSignal): void => {
    interruption?.interrupt(signal);
    if (signal !== "SIGINT") child.kill(signal);
  };
  void interruption?.delegateSignals(receiveSignal, () => exited);
  let text = "";
  let isOpen = true;
  // An error means that the user has left the pager, or that the shell did not find it.
  stdin.on("error", () => undefined);
  const closed = new Promise<void>((resolve) => stdin.on("close", resolve)).then(() => {
    isOpen = false;
  });
  return {
    write: async (addedText) => {
      text += addedText;
      const waitForDrain = (): Promise<void> => new Promise((resolve) => stdin.once("drain", resolve));
      if (isOpen && !stdin.write(addedText)) await Promise.race([waitForDrain(), closed]);
      return isOpen;
    },
    close: async () => {
      stdin.end();
      return notRunExitCodes.includes(await exited) ? text : undefined;
    },
  };
};
