import { spawn } from "node:child_process";
import { CliError } from "../errors/cli-error.js";
import { usageError } from "../errors/usage-errors.js";
import { findProgram, buildProgramEnvironment } from "../system/find-program.js";
import { type OutputQuery, SelectedText } from "./output.js";

/**
 * Prepares a filter of the program `jq`, which prints strings without quotes. It gets the data through its standard input, and none of the
 * variables of this command, which may have a token.
 *
 * @throws `program:not_found` if `jq` is not installed; a usage error if the filter is not valid.
 */
export const createJqQuery = async (filter: string, env: NodeJS.ProcessEnv): Promise<OutputQuery> => {
  const testRun = await runJq(filter, "", env, "Nothing was sent.");
  if (testRun.status !== 0) {
    throw usageError(
      `--jq is not a valid filter: ${getFirstErrorLine(testRun.stderr)}`,
      "Examples: '.[].name', '.[] | select(.status == \"ready\") | .id'. See https://jqlang.org/manual.",
    );
  }
  return async (result) => {
    const { status, stdout, stderr } = await runJq(filter, JSON.stringify(result), env, completedHint);
    if (status === 0) return new SelectedText(stdout);
    throw new CliError(
      "failure",
      "jq:failed",
      `jq could not filter the result: ${getFirstErrorLine(stderr)}`,
      `${completedHint} Run it with --output json to see the data, if it can be repeated.`,
    );
  };
};

const completedHint = "The command was carried out.";

interface JqResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** @param progressHint what the command has done so far, for the error if `jq` cannot be started. */
const runJq = (
  filter: string,
  input: string,
  env: NodeJS.ProcessEnv,
  progressHint: string,
): Promise<JqResult> =>
  new Promise((resolve, reject) => {
    const program = findProgram("jq", env);
    if (program === undefined) throw jqNotFoundError(progressHint);
    const variables = buildProgramEnvironment(env);
    // A filter such as -1 is not an option.
    const args = ["--raw-output", filter.replace(/^-/, " -")];
    const child = spawn(program, args, {
      env: variables,
      stdio: ["pipe", "pipe", "pipe"],
      windowsHide: true,
    });
    let [stdout, stderr] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
    child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
    child.once("error", (cause) => {
      reject(jqNotFoundError(progressHint, cause));
    });
    child.once("close", (status) => {
      resolve({ status, stdout, stderr });
    });
    // jq may exit before it has read all input.
    child.stdin.on("error", () => undefined);
    child.stdin.end(input);
  });

const jqNotFoundError = (progressHint: string, cause?: Error): CliError =>
  new CliError(
    "failure",
    "program:not_found",
    "--jq needs the program jq, which cannot be started",
    `${progressHint} Install jq (https://jqlang.org), or use --query with a JMESPath expression, which needs no other program.`,
    { cause },
  );

/** Returns the first line of the error of `jq`, without its name. */
const getFirstErrorLine = (stderr: string): string =>
  stderr
    .split("\n", 1)
    .join("")
    .replace(/^jq: (error:? ?)?/, "") || "no reason was given";
