import { Option } from "commander";
import type { Context } from "../../input/context.js";
import { toPrintable } from "../../output/printable.js";
import { MgmtCommand, findRootCommand } from "../../command-line/command.js";
import type { HandwrittenCommand } from "../../command-line/handwritten-command.js";

/** `mgmt complete`, called by the scripts of `mgmt completion`: prints the completions of the last word, one per line. */
export const completeCommand: HandwrittenCommand = {
  commandPath: "complete",
  order: 270,
  hidden: true,
  summary: "Print what the last word of a command line could become",
  globalOptions: "none",
  define: (command, context) => {
    command
      .argument("[words...]")
      .addOption(new Option("--refresh", "ask the service patiently, and store what it returns").hideHelp())
      .action(async (words: string[], { refresh: isRefresh = false }: { refresh?: boolean }) => {
        const { findCandidates } = await import("./candidates.js");
        const root = findRootCommand(command);
        if (!(root instanceof MgmtCommand)) return;
        const deadline = isRefresh
          ? { signal: AbortSignal.timeout(refreshTimeoutMs) }
          : { signal: AbortSignal.timeout(shellTimeoutMs), startRefresh: createRefresh(words, context) };
        const candidates = await findCandidates(root, words, { context, deadline });
        if (candidates.length > 0) context.output.writeText(candidates.map(toPrintable).join("\n"));
      });
  },
};

/** How long a shell waits for the service. */
const shellTimeoutMs = 150;

/** How long a process in the background waits for it. */
const refreshTimeoutMs = 20_000;

/** Returns a function that starts a process in the background, which stores the response of the service for the words. */
const createRefresh = (
  words: readonly string[],
  { selfCommand, env, cwd }: Context,
): (() => Promise<void>) | undefined => {
  if (selfCommand === undefined) return undefined;
  return async () => {
    const { spawn } = await import("node:child_process");
    const options = { cwd, env, detached: true, stdio: "ignore", windowsHide: true } as const;
    const [program, ...ownArguments] = selfCommand;
    spawn(program, [...ownArguments, "complete", "--refresh", "--", ...words], options)
      .on("error", () => undefined)
      .unref();
  };
};
