import { resolve } from "node:path";
import type { Context, GlobalFlags } from "../../context.js";
import { usageError } from "../../errors/usage-errors.js";
import { databaseAccess } from "../../operations/database-url.js";
import { setVariable } from "./env-file.js";

/** What `mgmt env` prints. */
export interface EnvResult {
  /** Path of the file. */
  readonly file: string;
  /** Name of the variable. */
  readonly variable: string;
  readonly databaseId: string;
  /** Whether the file had another value before. */
  readonly changed: boolean;
}

/** Writes the connection string of a database into an env file. Prints which file and variable, never the value. */
export const runEnv = async (
  { databaseId, file, name }: { databaseId: string | undefined; file: string; name: string },
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  if (!/^[A-Za-z_]\w*$/.test(name)) {
    throw usageError(
      `--name cannot be ${JSON.stringify(name)}`,
      "A variable has letters, digits and _, and does not start with a digit.",
    );
  }
  const access = await databaseAccess(databaseId, flags, context);
  const path = resolve(context.cwd, file);
  const changed = await setVariable(path, name, access.url);
  context.output.info(changed ? `Wrote ${name} to ${path}.` : `${path} already has this ${name}.`);
  const result: EnvResult = { file: path, variable: name, databaseId: access.databaseId, changed };
  await context.output.result(result, "EnvResult");
};
