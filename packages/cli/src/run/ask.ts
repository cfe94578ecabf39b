import { interrupted } from "../errors.js";
import type { Context } from "./context.js";

type Prompts = typeof import("@inquirer/prompts");

/** Whether there is a person to ask. */
export const isAtTerminal = ({ stdin, stderr }: Pick<Context, "stdin" | "stderr">): boolean =>
  stdin.isTTY && stderr.isTTY;

/**
 * Asks at the terminal: on standard error, since standard output is for the answer. Ctrl-C ends the run, and so does Ctrl-D,
 * which the prompts leave without an answer for ever. After Ctrl-Z the question goes on.
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
  let isOver = false;
  // Ctrl-D on an empty line closes what reads the keys, and the prompt is not told.
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }): void => {
    if (!key?.ctrl || key.name !== "d") return;
    const readers = stdin.listenerCount("keypress");
    setImmediate(() => !isOver && stdin.listenerCount("keypress") < readers && left.abort());
  };
  const onEnd = (): void => left.abort();
  // After Ctrl-Z the prompt pauses its input, and leaves it so.
  const onContinue = (): void => {
    setImmediate(() => !isOver && stdin.resume());
  };
  stdin.on("keypress", onKey).on("end", onEnd);
  process.on("SIGCONT", onContinue);
  try {
    const either = AbortSignal.any([signal, left.signal]);
    return await question(prompts, { input: stdin, output: stderr, signal: either });
  } catch (error) {
    if (left.signal.aborted || (error instanceof Error && error.name === "ExitPromptError"))
      throw interrupted();
    signal.throwIfAborted();
    throw error;
  } finally {
    isOver = true;
    // Else it would keep the process: a prompt that was away believes that it still pauses.
    stdin.pause();
    stdin.off("keypress", onKey).off("end", onEnd);
    process.off("SIGCONT", onContinue);
  }
};
