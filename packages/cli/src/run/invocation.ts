import type { Call } from "@mgmt/sdk";
import type { GlobalFlags } from "../input/context.js";
import type { RequestInput, CommandLineValues } from "../input/read-input.js";
import type { DryRunFormat } from "../input/dry-run-option.js";
import type { SecretFlags } from "../secrets/secret-flags.js";
import type { CommandOverride } from "../contract/command-override.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import type { PathParameters } from "./targets.js";

/** A parsed command line. */
export interface Invocation {
  readonly command: GeneratedCommand;
  readonly override: CommandOverride;
  /** Values of the path parameters. A delete accepts several for the last one. */
  readonly ids: readonly string[];
  readonly commandLineValues: CommandLineValues;
  readonly flags: GlobalFlags;
  /** Whether to read all pages of a list. */
  readonly allPages: boolean;
  /** Whether to list the resources of all projects, not only of the default project. */
  readonly allProjects?: boolean;
  /** Print the requests instead of sending them. */
  readonly dryRun?: DryRunFormat | undefined;
  /** Whether to return an existing resource with the same identity instead of creating another one. */
  readonly ensures?: boolean;
  /** How long to wait until the effect of the request has settled. Absent: do not wait. */
  readonly waitMs?: number;
  /** Wait for the sponsor's approval. */
  readonly approvalWaitOptions?: { readonly timeoutMs?: number };
  /** How to print or write the secrets in the result. */
  readonly secretFlags?: SecretFlags;
}

/** Returns the call of an operation. */
export const createCommandCall = (
  { method, path }: GeneratedCommand,
  pathParams: PathParameters,
  { query, body }: RequestInput,
): Call => ({
  method,
  path,
  pathParams,
  query,
  ...(body !== undefined && { body }),
});
