import type { Command } from "commander";
import { usageError } from "../../errors/usage-errors.js";
import { defaultWaitTimeout, parseDuration, parsePeriod } from "../../input/duration.js";
import { assertVariableName } from "../../input/variable-name.js";
import type { MgmtCommand } from "../../command-line/command.js";
import type { SecretFlags } from "../../secrets/secret-flags.js";
import { addSecretOptions } from "../../secrets/secret-options.js";
import type { PreviewUpOptions } from "./run-up.js";
import { collectPreviewFlags } from "./options.js";

/** Adds the flags of the commands that hand over the connection string of a preview. */
export const addDeliveryOptions = (command: MgmtCommand): void => {
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
    .option("--timeout <time>", `how long to wait, such as 90s or 5m (default: ${defaultWaitTimeout})`);
  addSecretOptions(command);
};

interface DeliveryFlags {
  name?: string;
  timeout?: string;
  file?: string;
  expires?: string;
  setup?: string;
  setupAgain?: boolean;
  pooled?: boolean;
}

/** Reads these flags and those that choose the branch. Throws a usage error for a value that is not allowed. */
export const collectDeliveryOptions = (command: Command): PreviewUpOptions => {
  const {
    name = "DATABASE_URL",
    timeout = defaultWaitTimeout,
    file,
    expires,
    setup,
    setupAgain = false,
    pooled = false,
  } = command.opts<DeliveryFlags>();
  assertVariableName(name);
  if (setup?.trim() === "") throw usageError("--setup must not be empty");
  if (setupAgain && setup === undefined) throw usageError("--setup-again needs --setup");
  const timeoutMs = parseDuration(timeout, "--timeout");
  const expiresAt = expires === undefined ? undefined : parseExpiry(expires);
  const secretFlags = command.opts<SecretFlags>();
  return {
    ...collectPreviewFlags(command),
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
const parseExpiry = (expires: string): string | null => {
  if (expires === "never") return null;
  const periodMs = parsePeriod(expires, "--expires");
  if (periodMs === 0) throw usageError("--expires must not be 0", "mgmt preview down deletes a preview now.");
  const expiresAtMs = Date.now() + periodMs;
  return new Date(Math.ceil(expiresAtMs / 60_000) * 60_000).toISOString().replace(/\.\d+Z$/, "Z");
};
