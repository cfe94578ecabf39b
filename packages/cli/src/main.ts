import { type Command, CommanderError } from "commander";
import type { Chosen, OwnWords } from "./input/context.js";
import { noWorkingDirectory } from "./errors/cli-error.js";
import { exitCodes, isInterruption, planExitCodes, ProgramEnded } from "./errors/exit-codes.js";
import { Sources } from "./input/sources.js";
import { Interruption, type SignaledProcess } from "./system/interruption.js";
import { type Format, formats, Output } from "./output/output.js";
import { calledCommand, HelpAsData, lineOf } from "./command-line/command.js";
import { globalFlags } from "./command-line/global-options.js";
import { buildProgram } from "./commands/program.js";
import { InsecureAddressGuard } from "./transport/insecure-address-guard.js";
import { SentChanges } from "./transport/sent-changes.js";

/** The parts of a process that a run uses. Tests pass their own. */
export interface ProcessLike extends Pick<NodeJS.Process, "stdin" | "env" | "cwd">, SignaledProcess {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Default: the command cannot be started in the background. */
  readonly ownWords?: OwnWords | undefined;
  readonly patienceMs?: number;
}

/** Runs one command line and returns the exit code. */
export const main = async (
  args: readonly string[],
  version: string,
  host: ProcessLike = process,
): Promise<number> => {
  const { env } = host;
  const interruption = new Interruption(host);
  const { signal } = interruption;
  const changes = new SentChanges();
  const chosen: Chosen[] = [];
  const output = new Output(formatIn(args), host, env, interruption);
  const cwd = workingDirectory(host);
  if (cwd === undefined) return output.fail(noWorkingDirectory());
  const sources = new Sources(host, cwd, signal, (flag) => {
    const message = `${flag} is read from standard input. Type it, then press Ctrl-D on a new line.`;
    output.notice({ code: "input:terminal", message, flag });
  });

  const program = buildProgram({
    version,
    output,
    insecureAddresses: new InsecureAddressGuard(output),
    env,
    cwd,
    signal,
    interruption,
    changes,
    sources,
    chosen,
    ownWords: host.ownWords,
    // Most runs use neither, and opening them takes time.
    get stdin() {
      return host.stdin;
    },
    get stderr() {
      return host.stderr;
    },
  });
  output.addNext = async (failure, id) => {
    const { withNext } = await import("./run/failures/with-next.js");
    return withNext(failure, { program, line: args, chosen, id, env });
  };
  try {
    if (args.length === 0) program.outputHelp();
    else await program.parseAsync(args, { from: "user" });
    // Only a process of its own is told, on a terminal.
    if (host.ownWords !== undefined && output.isTerminal && host.stderr.isTTY) {
      const { noticeUpdate } = await import("./installation/update-notice.js");
      noticeUpdate({ version, output, env, cwd }, globalFlags(calledCommand(program)));
    }
    return exitCodes.ok;
  } catch (thrown) {
    if (thrown instanceof ProgramEnded) return thrown.status;
    if (thrown instanceof HelpAsData) {
      const { describeCommand } = await import("./command-line/describe-command.js");
      await output.result(describeCommand(thrown.command));
      return exitCodes.ok;
    }
    // Commander has printed a help text.
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return exitCodes.ok;
    const error = thrown instanceof CommanderError ? await explained(thrown, program) : thrown;
    if (error instanceof Error && error === signal.reason && changes.takeUnanswered()) {
      const { changeInterrupted } = await import("./errors/run-errors.js");
      return await output.fail(changeInterrupted(error));
    }
    return statusAfter(await output.fail(error), calledCommand(program), args);
  }
};

const explained = async (error: CommanderError, program: Command): Promise<Error> => {
  const { usageFailure } = await import("./run/failures/usage-failure.js");
  return usageFailure(error, program);
};

/**
 * Returns the exit code after an error. With `mgmt plan --exit-code`, 2 means that there are changes, so every error is 1, also
 * one of the command line itself.
 */
const statusAfter = (code: number, called: Command, args: readonly string[]): number =>
  lineOf(called) === "mgmt plan" && args.includes("--exit-code") && !isInterruption(code)
    ? planExitCodes.failed
    : code;

/** Returns the working directory, or undefined if it was deleted. */
const workingDirectory = ({ cwd }: Pick<ProcessLike, "cwd">): string | undefined => {
  try {
    return cwd();
  } catch {
    return undefined;
  }
};

/** Finds the output format without parsing, because errors of the command line itself are printed in it too. */
const formatIn = (args: readonly string[]): Format => {
  const end = args.indexOf("--");
  const own = end < 0 ? args : args.slice(0, end);
  const values = own.flatMap((arg, index) => {
    if (arg === "--json") return ["json"];
    if (arg === "-o" || arg === "--output") return [own[index + 1]];
    const [, value] = /^(?:--output=|-o)(.+)$/s.exec(arg) ?? [];
    return value === undefined ? [] : [value];
  });
  return formats.find((format) => format === values.at(-1)) ?? "table";
};
