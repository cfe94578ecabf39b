import { CommanderError } from "commander";
import type { PromptAnswer, SelfCommand } from "./input/context.js";
import { noWorkingDirectoryError } from "./errors/cli-error.js";
import { exitCodes, ProgramExitError } from "./errors/exit-codes.js";
import { InputSources } from "./input/sources.js";
import { Interruption, type SignaledProcess } from "./system/interruption.js";
import { type OutputFormat, outputFormats } from "./output/output-format.js";
import { Output } from "./output/output.js";
import { getCalledCommand, HelpAsDataError, type MgmtCommand } from "./command-line/command.js";
import { collectGlobalFlags } from "./command-line/global-options.js";
import { buildProgram } from "./commands/program.js";
import { InsecureUrlGuard } from "./transport/insecure-url-guard.js";
import { UnconfirmedChangeTracker } from "./transport/unconfirmed-changes.js";
import { exportWord, wantsTrace } from "./tracing/wants-trace.js";

/** The parts of a process that a run uses. Tests pass their own. */
export interface ProcessLike extends Pick<NodeJS.Process, "stdin" | "env" | "cwd">, SignaledProcess {
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  /** Default: the command cannot be started in the background. */
  readonly selfCommand?: SelfCommand | undefined;
  /** Milliseconds after which a pending request is announced; a second if absent. */
  readonly slowRequestMs?: number;
}

/** The exit code of a run and its error. */
interface RunResult {
  readonly exitCode: number;
  /** The error with which it failed. */
  readonly error?: unknown;
}

/** Runs one command line and returns the exit code. */
export const main = async (
  args: readonly string[],
  version: string,
  commandProcess: ProcessLike = process,
): Promise<number> => {
  const { env, slowRequestMs, selfCommand } = commandProcess;
  if (selfCommand && args[0] === exportWord) {
    const { runExport } = await import("./tracing/run-export.js");
    await runExport(commandProcess);
    return exitCodes.ok;
  }
  const interruption = new Interruption(commandProcess);
  const { signal } = interruption;
  const changeTracker = new UnconfirmedChangeTracker();
  const promptAnswers: PromptAnswer[] = [];
  const output = new Output(detectOutputFormat(args), commandProcess, env, interruption, slowRequestMs);
  const cwd = findWorkingDirectory(commandProcess);
  if (cwd === undefined) return output.fail(noWorkingDirectoryError());
  const tracing = selfCommand && wantsTrace(env, args) ? await import("./run/trace-command.js") : undefined;
  const startedTrace = await tracing?.startTrace(version, env, output);
  const sources = new InputSources(commandProcess, cwd, signal, (flag) => {
    const message = `${flag} is read from standard input. Type it, then press Ctrl-D on a new line.`;
    output.notice({ code: "input:terminal", message, flag });
  });

  const program = buildProgram({
    version,
    output,
    insecureUrls: new InsecureUrlGuard(output),
    env,
    cwd,
    signal,
    interruption,
    changeTracker,
    trace: startedTrace?.trace,
    sources,
    answers: promptAnswers,
    selfCommand,
    // Most runs use neither, and opening them takes time.
    get stdin() {
      return commandProcess.stdin;
    },
    get stderr() {
      return commandProcess.stderr;
    },
  });
  output.addNext = async (failure, id) => {
    const { addNextCommands } = await import("./run/failures/add-next-commands.js");
    return addNextCommands(failure, { program, line: args, promptAnswers, id, env });
  };
  const run = async (): Promise<RunResult> => {
    try {
      if (args.length === 0) program.outputHelp();
      else await program.parseAsync(args, { from: "user" });
      await output.implicitSettings.announceForRead({ findsNames: false });
      // Announced only on a terminal, and only by a process that runs nothing but `mgmt`.
      if (selfCommand !== undefined && output.isTerminal && commandProcess.stderr.isTTY) {
        const { announceUpdate } = await import("./installation/update-notice.js");
        announceUpdate({ version, output, env, cwd }, collectGlobalFlags(getCalledCommand(program)));
      }
      return { exitCode: exitCodes.ok };
    } catch (caughtError) {
      await output.implicitSettings.announceForRead({ findsNames: false });
      if (caughtError instanceof ProgramExitError) return { exitCode: caughtError.status };
      if (caughtError instanceof HelpAsDataError) {
        const { describeCommand } = await import("./command-line/describe-command.js");
        await output.writeResult(describeCommand(caughtError.command));
        return { exitCode: exitCodes.ok };
      }
      // Commander has printed a help text.
      if (caughtError instanceof CommanderError && caughtError.exitCode === 0)
        return { exitCode: exitCodes.ok };
      const error =
        caughtError instanceof CommanderError
          ? await explainUsageError(caughtError, program, env)
          : caughtError;
      if (error instanceof Error && error === signal.reason && changeTracker.consumeUnconfirmed()) {
        const { changeInterruptedError } = await import("./errors/run-errors.js");
        const changeError = changeInterruptedError(error);
        return { exitCode: await output.fail(changeError), error: changeError };
      }
      const exitCode = await output.fail(error);
      return { exitCode: getCalledCommand(program).mapErrorExitCode?.(exitCode, args) ?? exitCode, error };
    }
  };
  const runResult = await run();
  if (tracing && startedTrace && selfCommand)
    await tracing.finishRunTrace(startedTrace, { ...runResult, program }, { selfCommand, env, output });
  return runResult.exitCode;
};

const explainUsageError = async (
  error: CommanderError,
  program: MgmtCommand,
  env: NodeJS.ProcessEnv,
): Promise<Error> => {
  const { explainCommanderError } = await import("./run/failures/explain-commander-error.js");
  return explainCommanderError(error, program, env);
};

/** Returns the working directory, or undefined if it was deleted. */
const findWorkingDirectory = ({ cwd }: Pick<ProcessLike, "cwd">): string | undefined => {
  try {
    return cwd();
  } catch {
    return undefined;
  }
};

/** Finds the output format without parsing, because errors of the command line itself are printed in it too. */
const detectOutputFormat = (args: readonly string[]): OutputFormat => {
  const separatorIndex = args.indexOf("--");
  const mgmtArguments = separatorIndex < 0 ? args : args.slice(0, separatorIndex);
  const values = mgmtArguments.flatMap((arg, index) => {
    if (arg === "--json" || arg === "--csv") return [arg.slice(2)];
    if (arg === "-o" || arg === "--output") return [mgmtArguments[index + 1]];
    const [, value] = /^(?:--output=|-o)(.+)$/s.exec(arg) ?? [];
    return value === undefined ? [] : [value];
  });
  return outputFormats.find((format) => format === values.at(-1)) ?? "table";
};
