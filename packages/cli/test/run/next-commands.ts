import type { FailedCommand } from "../../src/run/failures/failed-command.js";
import { definitions } from "../operation-examples.js";

/** Returns the commands that an error names. */
export const nextOf = (errors: readonly Record<string, unknown>[]): string[][] => {
  const [line] = errors.filter((each) => "error" in each);
  // The tests of the JSON Schema check its form.
  return (line as { error: { next: string[][] } }).error.next;
};

/** Returns a command that has failed. */
export const commandOf = (...commandPath: string[]): FailedCommand => ({
  commandPath,
  definition: definitions.find((definition) => definition.commandPath.join(" ") === commandPath.join(" ")),
  errors: {},
  args: [],
  options: {},
  flags: {},
  acceptedFlags: [],
  line: commandPath,
});
