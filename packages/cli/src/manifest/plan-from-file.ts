import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../context.js";
import { noBaseUrl } from "../errors/access-errors.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import { makePlan, type Plan } from "./plan.js";
import { readManifest } from "./read-manifest.js";
import { readState } from "./read-state.js";

/** The manifest of commands that are called without `--file`. */
export const defaultFile = "mgmt.yaml";

/** Reads a manifest, compares it with the service, and warns about what cannot be changed. */
export const planFromFile = async (
  file: string = defaultFile,
  prune: boolean,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Plan> => {
  const { sources, output, signal } = context;
  const text = await sources.read(file, "--file");
  const desired = readManifest(text, file === "-" ? "standard input" : file);
  const projects = desired.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? "");
  const state = await readState(client, projects, signal);
  const plan = makePlan(desired, state, { baseUrl: await baseUrlOf(flags, context), prune });
  for (const message of plan.warnings) await output.warn({ code: "plan:unchangeable", message });
  return plan;
};

/** Returns the address of the service. */
export const baseUrlOf = async (flags: GlobalFlags, context: Context): Promise<string> => {
  const { baseUrl } = await resolveAccess(flags, context);
  if (!baseUrl) throw noBaseUrl();
  return baseUrl.value;
};
