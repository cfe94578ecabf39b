import type { Operator, ServeSettings } from "@mgmt/platform/serve";
import type { Command } from "commander";
import type { MgmtCommand } from "../command-line/command.js";
import { createRejectedSecretOption } from "../command-line/global-options.js";
import type { Context } from "../input/context.js";
import { rejectDash } from "../input/reject-dash.js";
import { loadServe } from "./load-platform.js";

/** Flags of `mgmt serve` and of the commands below it. */
export interface ServeFlags {
  readonly config?: string;
  readonly keyFile?: string;
  readonly baseUrl?: string;
  readonly listen?: string;
  readonly adminListen?: string;
}

/** Adds the flags that specify which service it is. The addresses of databases have none, because they contain passwords. */
export const addServeOptions = (command: MgmtCommand): void => {
  command
    .option("--config <path>", "file with the settings, YAML or JSON, which mgmt serve schema describes")
    .option(
      "--key-file <path>",
      "file with the keys that encrypt secrets in the records (or MGMT_SERVE_KEY_FILE)",
    )
    .option(
      "--base-url <url>",
      "URL of the API for its clients, without /v1, for which tokens are valid (or MGMT_SERVE_BASE_URL)",
    )
    .addOption(createUrlOption("database-url", "MGMT_SERVE_DATABASE_URL"))
    .addOption(createUrlOption("cluster-url", "MGMT_SERVE_CLUSTER_URL"));
};

const createUrlOption = (flag: string, variable: string): ReturnType<typeof createRejectedSecretOption> =>
  createRejectedSecretOption(flag, `Set ${variable}, or write it into the file of --config.`);

/** Returns the flags of a command and of the commands between it and `mgmt`. The one closest to the command wins. */
export const collectServeFlags = (command: Command): ServeFlags => ({
  ...(command.parent?.parent && collectServeFlags(command.parent)),
  ...command.opts<ServeFlags>(),
});

/** Loads the package, and reads the settings from the flags, the environment and the file. */
export const loadServeSettings = async (
  { config, keyFile, baseUrl, listen, adminListen }: ServeFlags,
  context: Pick<Context, "version" | "cwd" | "env">,
): Promise<{ serve: Awaited<ReturnType<typeof loadServe>>; settings: ServeSettings }> => {
  rejectDash("--config", config, "file");
  rejectDash("--key-file", keyFile, "file");
  const serve = await loadServe(context);
  const { cwd, env } = context;
  const flags = { keyFile, baseUrl, listen, adminListen };
  return { serve, settings: await serve.readServeConfig({ file: config, cwd, env, flags }) };
};

/** Runs a callback on the records of the service. */
export const runAsOperator = async <T>(
  flags: ServeFlags,
  context: Pick<Context, "version" | "cwd" | "env">,
  callback: (operator: Operator) => Promise<T>,
): Promise<T> => {
  const { serve, settings } = await loadServeSettings(flags, context);
  return serve.runAsOperator(settings, callback);
};
