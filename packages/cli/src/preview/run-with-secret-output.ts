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
 * Runs a command that creates a preview and prints its connection string: opens the files for it first, and closes them in the end. If
 * it is interrupted, says which resources exist and how to go on.
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
    assertHasDestination("The connection string", resolveSecretDestination({ showSecrets }, context));
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
    await secretOutput.end();
  }
};

/** The environment file of GitHub Actions has a syntax of its own. */
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
