import { interrupted } from "../errors.js";
import type { Context } from "./context.js";

type Prompts = typeof import("@inquirer/prompts");

/** Whether there is a person to ask. */
export const isAtTerminal = ({ stdin, stderr }: Pick<Context, "stdin" | "stderr">): boolean =>
  stdin.isTTY && stderr.isTTY;

/**
 * Asks at the terminal: on standard error, since standard output is for the answer. Ctrl-C ends the run, and so does Ctrl-D,
 * which the prompts leave without an answer for ever.
 */
export const ask = async <T>(
  { stdin, stderr, signal }: Pick<Context, "stdin" | "stderr" | "signal">,
  question: (
    prompts: Prompts,
    terminal: { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal },
  ) => Promise<T>,
): Promise<T> => {
  const prompts = await import("@inquirer/prompts");
  const left = new AbortController();
  // A prompt that was answered pauses its input too: by then its answer is here.
  const onPause = (): void => {
    setImmediate(() => stdin.isPaused() && left.abort());
  };
  stdin.on("pause", onPause);
  try {
    const either = AbortSignal.any([signal, left.signal]);
    return await question(prompts, { input: stdin, output: stderr, signal: either });
  } catch (error) {
    if (left.signal.aborted || (error instanceof Error && error.name === "ExitPromptError"))
      throw interrupted();
    signal.throwIfAborted();
    throw error;
  } finally {
    stdin.off("pause", onPause);
  }
};
