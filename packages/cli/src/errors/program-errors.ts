import { CliError } from "./cli-error.js";

export const programNotFoundError = (program: string, hint: string): CliError =>
  new CliError("programNotFound", "program:not_found", `The program ${program} was not found`, hint);

export const notExecutableError = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_executable",
    `${program} is not a program that this account can run`,
    "Make it executable (chmod +x FILE), or run it with its interpreter (sh FILE).",
  );

export const interpreterNotFoundError = (program: string): CliError =>
  new CliError(
    "programNotStarted",
    "program:not_started",
    `${program} could not be started, because the interpreter in its first line was not found`,
    "Correct the first line of the script, or run it with its interpreter.",
  );

export const programNotStartedError = (program: string, problem: string): CliError =>
  new CliError("programNotStarted", "program:not_started", `${program} could not be started (${problem})`);
