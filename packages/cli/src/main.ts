import { CommanderError } from "commander";
import { interrupted } from "./errors/cli-error.js";
import { exitCodes, ProgramEnded } from "./exit-codes.js";
import { Sources } from "./input/sources.js";
import { type Format, formats, Output } from "./output/output.js";
import type { Streams } from "./output/streams.js";
import { HelpAsData } from "./program/command.js";
import { buildProgram } from "./program/program.js";
import { usageFailure } from "./program/usage-failure.js";
import { Encryption } from "./service/encryption.js";

/** The parts of a process that a run uses. Tests pass their own. */
export interface ProcessLike extends Pick<NodeJS.Process, "stdin" | "env" | "cwd" | "exit">, Streams {
  once(signal: "SIGINT", listener: () => void): unknown;
  /** The file of the command. Default: it cannot be started in the background. */
  readonly entry?: string | undefined;
}

/** Runs one command line and returns the exit code. */
export const main = async (
  args: readonly string[],
  version: string,
  host: ProcessLike = process,
): Promise<number> => {
  const { env } = host;
  const cwd = host.cwd();
  const interruption = new AbortController();
  host.once("SIGINT", () => {
    interruption.abort(interrupted());
    // A second Ctrl-C does not wait for the orderly end.
    host.once("SIGINT", () => host.exit(exitCodes.interrupted));
  });
  const { signal } = interruption;
  const output = new Output(formatIn(args), host, env);
  const sources = new Sources(host, cwd, signal, (flag) => {
    const message = `${flag} is read from standard input. Type it, then press Ctrl-D on a new line.`;
    output.notice({ code: "input:terminal", message, flag });
  });

  const program = buildProgram({
    version,
    output,
    encryption: new Encryption(output),
    env,
    cwd,
    signal,
    sources,
    entry: host.entry,
    // Most runs use neither, and opening them takes time.
    get stdin() {
      return host.stdin;
    },
    get stderr() {
      return host.stderr;
    },
  });
  output.addNext = async (failure, id) => {
    const { withNext } = await import("./errors/next/with-next.js");
    return withNext(failure, { program, line: args, id });
  };
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    return exitCodes.ok;
  } catch (thrown) {
    if (thrown instanceof ProgramEnded) return thrown.status;
    if (thrown instanceof HelpAsData) {
      const { describeCommand } = await import("./program/describe-command.js");
      await output.result(describeCommand(thrown.command));
      return exitCodes.ok;
    }
    const error = thrown instanceof CommanderError ? await usageFailure(thrown, program) : thrown;
    return error === undefined ? exitCodes.ok : await output.fail(error);
  }
};

/** Finds the output format without parsing, because errors of the command line itself are printed in it too. */
const formatIn = (args: readonly string[]): Format => {
  const values = args.flatMap((arg, index) => {
    if (arg === "-o" || arg === "--output") return [args[index + 1]];
    return arg.startsWith("--output=") ? [arg.slice("--output=".length)] : [];
  });
  return formats.find((format) => format === values.at(-1)) ?? "table";
};
