import type { Command } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { parseDuration, parsePeriod } from "../../input/duration.js";
import { assertVariableName } from "../../input/variable-name.js";
import type { MgmtCommand } from "../../command-line/command.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { UpOptions } from "./run-up.js";
import { previewFlags } from "./options.js";

/** Adds the flags of the commands that hand over the connection string of a preview. */
export const addHandOverOptions = (command: MgmtCommand): void => {
  command
    .option(
      "--file <path>",
      "write the connection string into this env file, - for standard output, and not into the result",
    )
    .option("--name <variable>", "variable in the file, and for the setup (default: DATABASE_URL)")
    .option("--pooled", "print the connection string of the connection pooler")
    .option("--expires <time>", "let mgmt preview prune delete it after a time such as 12h or 7d, or never")
    .option(
      "--setup <command>",
      "shell command to run once the preview is ready, until it has succeeded once, with DATABASE_URL set",
    )
    .option("--timeout <time>", "how long to wait, such as 90s or 5m (default: 5m)");
  addSecretOptions(command);
};

interface HandOverFlags {
  name?: string;
  timeout?: string;
  file?: string;
  expires?: string;
  setup?: string;
  setupAgain?: boolean;
  pooled?: boolean;
}

/** Reads these flags and those that choose the branch. Throws a usage error for a value that is not allowed. */
export const handOverOptions = (command: Command): UpOptions => {
  const {
    name = "DATABASE_URL",
    timeout = "5m",
    file,
    expires,
    setup,
    setupAgain = false,
    pooled = false,
  } = command.opts<HandOverFlags>();
  assertVariableName(name);
  if (setup?.trim() === "") throw usageError("--setup must not be empty");
  if (setupAgain && setup === undefined) throw usageError("--setup-again needs --setup");
  const timeoutMs = parseDuration(timeout, "--timeout");
  const expiresAt = expires === undefined ? undefined : timeOf(expires);
  const secretFlags = command.opts<SecretFlags>();
  return {
    ...previewFlags(command),
    name,
    timeoutMs,
    file,
    pooled,
    secretFlags,
    expiresAt,
    setup,
    setupAgain,
  };
};

/** Returns the full minute in which a time from now ends, or null for never. */
const timeOf = (expires: string): string | null => {
  if (expires === "never") return null;
  const period = parsePeriod(expires, "--expires");
  if (period === 0) throw usageError("--expires must not be 0", "mgmt preview down deletes a preview now.");
  const end = Date.now() + period;
  return new Date(Math.ceil(end / 60_000) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
};
