import { resolve } from "node:path";
import type { Context, GlobalFlags } from "../../input/context.js";
import { assertVariableName } from "../../input/variable-name.js";
import { resolveDatabaseAccess } from "../../postgres/database-access.js";
import { assertHasDestination, resolveSecretDestination } from "../../secrets/secret-destination.js";
import { type SecretFlags, setsCiVariable } from "../../secrets/secret-flags.js";
import { openSecretOutput } from "../../secrets/secret-output.js";
import { replaceAssignments } from "../../working-directory/env-file.js";
import { writeVariable } from "../../working-directory/write-variable.js";

export interface EnvOptions {
  readonly databaseId: string | undefined;
  /** Path of the file; `-` is standard output. Default: `.env`, unless a flag sets a variable. */
  readonly file: string | undefined;
  /** Name of the variable. */
  readonly name: string;
  readonly pooled: boolean | undefined;
  readonly secretFlags: SecretFlags;
}

/** What `mgmt env` prints. */
export interface EnvResult {
  /** Path of the file, or null if only a variable of the CI system was set. */
  readonly file: string | null;
  /** Name of the variable in the file. */
  readonly variable: string;
  readonly databaseId: string;
  /** Whether the file had another value before. */
  readonly changed: boolean;
}

/** Writes the connection string of a database into an env file. Prints which file and variable, never the value. */
export const runEnv = async (
  { databaseId, file, name, pooled, secretFlags }: EnvOptions,
  flags: GlobalFlags,
  context: Context,
): Promise<void> => {
  assertVariableName(name);
  const { showSecrets = false } = secretFlags;
  if (file === "-") {
    assertHasDestination(
      "The connection string",
      resolveSecretDestination({ showSecrets }, context),
      "--file",
    );
  }
  const secrets = { paths: ["connectionString"], issued: true };
  const secretOutput = await openSecretOutput(
    secrets,
    resolveSecretDestination(secretFlags, context),
    context,
  );
  try {
    const { url, databaseId: id } = await resolveDatabaseAccess(databaseId, flags, context, { pooled });
    if (setsCiVariable(secretFlags)) {
      await secretOutput.deliver({ connectionString: url });
      if (file === undefined)
        return await printResult({ file: null, variable: name, databaseId: id, changed: true }, context);
    }
    if (file === "-") return context.output.writeText(replaceAssignments("", name, url));
    const path = resolve(context.cwd, file ?? ".env");
    const changed = await writeVariable({ path, name, url }, context);
    await printResult({ file: path, variable: name, databaseId: id, changed }, context);
  } finally {
    await secretOutput.close();
  }
};

const printResult = (result: EnvResult, { output }: Context): Promise<void> =>
  output.writeResult(result, "EnvResult");
