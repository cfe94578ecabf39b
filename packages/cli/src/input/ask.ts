import type { Context } from "./context.js";
import { interruptedError } from "../errors/cli-error.js";
import { isCi } from "../system/ci-system.js";
import { detectCodingAgent } from "../system/coding-agent.js";

type Prompts = typeof import("./prompts.js");

/** Returns whether there is a person who can be asked. */
export const isAtTerminal = ({ stdin, stderr }: Pick<Context, "stdin" | "stderr">): boolean =>
  stdin.isTTY && stderr.isTTY;

/** Returns the reason why the command cannot prompt, or undefined if it can. */
export const getNonInteractiveReason = (
  context: Pick<Context, "stdin" | "stderr" | "env" | "sources">,
): string | undefined => {
  const { env, sources } = context;
  if (isCi(env)) return `CI=${(env["CI"] ?? "").slice(0, 40)} is set`;
  const agent = detectCodingAgent(env);
  if (agent) return `${agent.variable} is set, so that a coding agent runs the command`;
  if (!isAtTerminal(context)) return "there is no terminal";
  return sources.readsStdin ? "standard input is read for a flag" : undefined;
};

/**
 * Asks at the terminal, on standard error, because standard output is for results. Ctrl-C ends the run. So does Ctrl-D,
 * after which the prompts would wait forever. The question survives Ctrl-Z.
 */
export const ask = async <T>(
  { stdin, stderr, signal }: Pick<Context, "stdin" | "stderr" | "signal">,
  question: (
    prompts: Prompts,
    terminal: { input: NodeJS.ReadStream; output: NodeJS.WriteStream; signal: AbortSignal },
  ) => Promise<T>,
): Promise<T> => {
  const prompts = await import("./prompts.js");
  const cancellation = new AbortController();
  let isFinished = false;
  // Ctrl-D on an empty line closes the reader of the keys without telling the prompt.
  const onKey = (_: unknown, key?: { ctrl?: boolean; name?: string }): void => {
    if (!key?.ctrl || key.name !== "d") return;
    const readerCount = stdin.listenerCount("keypress");
    setImmediate(() => !isFinished && stdin.listenerCount("keypress") < readerCount && cancellation.abort());
  };
  const onEnd = (): void => cancellation.abort();
  // The prompt pauses its input on Ctrl-Z and does not resume it.
  const onContinue = (): void => {
    setImmediate(() => !isFinished && stdin.resume());
  };
  stdin.on("keypress", onKey).on("end", onEnd);
  process.on("SIGCONT", onContinue);
  try {
    const combinedSignal = AbortSignal.any([signal, cancellation.signal]);
    return await question(prompts, { input: stdin, output: stderr, signal: combinedSignal });
  } catch (error) {
    signal.throwIfAborted();
    if (cancellation.signal.aborted || (error instanceof Error && error.name === "ExitPromptError"))
      throw interruptedError();
    throw error;
  } finally {
    isFinished = true;
    // The prompt does not pause stdin again after Ctrl-Z, and stdin would keep the process alive.
    stdin.pause();
    stdin.off("keypress", onKey).off("end", onEnd);
    process.off("SIGCONT", onContinue);
  }
};
