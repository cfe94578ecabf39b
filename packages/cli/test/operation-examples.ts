import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { groups } from "../src/contract/generated/groups.js";
import { buildExamples } from "../src/run/examples.js";
import { getOverride } from "../src/contract/command-override.js";
import type { GeneratedCommand } from "../src/contract/generated-command.js";
import { temporaryFolder } from "./folders.js";

/** The definition of every operation. */
export const definitions: readonly GeneratedCommand[] = (
  await Promise.all(groups.map(({ load }) => load()))
).flat();

/** Creates the file that examples read a secret from. Returns its path. */
export const createSecretFile = (): string => {
  const file = join(temporaryFolder(), "secret.txt");
  writeFileSync(file, "secret");
  return file;
};

/** Splits a line as a shell does, with quotes. */
const shellWords = (line: string): string[] =>
  [...line.matchAll(/(?:'([^']*)'|(\S+))(?=\s|$)/g)].map(([, quoted, plain]) => quoted ?? plain ?? "");

/** Returns the words of an example after `mgmt`. */
export const exampleWords = (example: string, secretFile: string): string[] =>
  shellWords(example.replace(/(secret|token)\.txt/, secretFile)).slice(1);

/** Returns a valid command line of an operation that sends only the request of the operation. */
export const validLine = (definition: GeneratedCommand, secretFile: string): string[] => {
  const [example = ""] = buildExamples(definition, getOverride(definition.id)).filter(
    (each) => !/ --(wait|all)\b/.test(each),
  );
  return exampleWords(example, secretFile);
};
