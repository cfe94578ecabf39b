import type { Context, GlobalFlags } from "../../input/context.js";
import { usageError } from "../../errors/usage-errors.js";
import type { DryRunFormat } from "../../input/dry-run-option.js";
import { type SecretFlags, setsCiVariable } from "../../secrets/secret-flags.js";
import type { ApiRequest, RequestFlags } from "./request.js";

export interface ApiFlags extends GlobalFlags, RequestFlags, SecretFlags {
  readonly include?: boolean;
  readonly dryRun?: DryRunFormat | undefined;
}

/** Rejects flags that the request cannot honor, before it is sent. */
export const assertFlagsApply = async (
  { method, query, operation }: ApiRequest,
  { paginate, include, ...flags }: ApiFlags,
  { output }: Context,
): Promise<void> => {
  if (paginate && method !== "GET") {
    throw usageError("--paginate can only be used with GET", "Leave it out, or send a GET request.");
  }
  if (paginate && include) {
    throw usageError("--paginate and --include cannot be used together", "Each page has headers of its own.");
  }
  if (paginate && new Set(query.keys()).size < query.size) {
    throw usageError("--paginate cannot repeat a query parameter", "Pass each parameter once.");
  }
  if (operation && !operation.definition.secrets) {
    if (flags.secretFile !== undefined) {
      throw usageError("--secret-file: the response has no secrets", "Leave it out.");
    }
    if (setsCiVariable(flags)) throw usageError("The response has no secret that a variable could be set to");
  }
  if (setsCiVariable(flags) && (paginate || operation?.definition.envelope === "list")) {
    throw usageError("A variable cannot be set to the secrets of a list", "Request a single resource.");
  }
  if (paginate || operation?.definition.envelope === "list") output.assertPrintsLists();
  const { fields } = output.presentation;
  if (!fields || !operation) return;
  await (await import("../../run/assert-fields.js")).assertFields(operation.definition, fields);
};
