import { resolve } from "node:path";
import type { Context } from "../input/context.js";
import {
  assertHasDestination,
  formatWithSecrets,
  resolveSecretDestination,
} from "../secrets/secret-destination.js";
import { openSecretOutput, type SecretOutput } from "../secrets/secret-output.js";
import type { DeliveryOptions } from "./deliver-preview.js";
import { explainInterruption, type PreviewProgress } from "./interruption-notice.js";
import type { PreviewFlags } from "./preview.js";

/**
 * Runs a command that creates a preview and prints its connection string. Opens the files for the string before `run`, so that nothing is
 * created when they cannot be written, and closes them after it. With `--secret-file -`, the output prints one line of JSON instead of a
 * table. If `run` fails, prints which resources it has created and how to continue.
 *
 * @param run creates the preview. Its options have `--file` replaced by `--github-env` if the file is the environment file of GitHub
 * Actions.
 * @throws `secrets:in_log`, if `--file -` would print the string into the log of CI.
 */
export const runWithSecretOutput = async <Options extends DeliveryOptions & PreviewFlags>(
  deliveryOptions: Options,
  context: Context,
  run: (options: Options, secretOutput: SecretOutput, progress: PreviewProgress) => Promise<void>,
): Promise<void> => {
  const options = replaceGitHubEnvFile(deliveryOptions, context);
  const flags = options.dryRun === undefined ? options.secretFlags : {};
  if (options.file === "-" && options.dryRun === undefined) {
    const { showSecrets = false } = flags;
    const destination = resolveSecretDestination({ showSecrets }, context);
    assertHasDestination("The connection string", destination, "--file");
  }
  const { output } = context;
  output.format = formatWithSecrets(flags, output.format);
  const secrets = { paths: ["connectionString"], issued: true };
  const secretOutput = await openSecretOutput(secrets, resolveSecretDestination(flags, context), context);
  const progress: PreviewProgress = {};
  try {
    await run(options, secretOutput, progress);
  } catch (error) {
    explainInterruption(progress, context);
    throw error;
  } finally {
    await secretOutput.close();
  }
};

/**
 * Returns the options with `--github-env` instead of a `--file` that is the environment file of GitHub Actions, which has its own syntax.
 */
const replaceGitHubEnvFile = <Options extends DeliveryOptions>(
  options: Options,
  { cwd, env }: Context,
): Options => {
  const { file, name, secretFlags } = options;
  const githubEnvPath = env["GITHUB_ENV"];
  if (!githubEnvPath || file === undefined || resolve(cwd, file) !== resolve(cwd, githubEnvPath))
    return options;
  return { ...options, file: undefined, secretFlags: { ...secretFlags, githubEnv: name } };
};
