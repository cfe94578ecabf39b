import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { noBaseUrl } from "../errors/access-errors.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import { adoptionNotices, adoptionsIn, identifyAdopted, missingAdoptions } from "./adopt.js";
import { placeInRegions } from "./place-in-regions.js";
import { makePlan, type Plan, type PlanOptions } from "./plan.js";
import { readManifest } from "./read-manifest.js";
import { readState } from "./read-state.js";

export interface ManifestOptions extends Pick<PlanOptions, "prune" | "targets"> {
  /** Default: `mgmt.yaml`. */
  readonly file?: string | undefined;
}

/** Reads a manifest, compares it with the service, and warns about fields that cannot be changed. */
export const planFromFile = async (
  { file, prune, targets }: ManifestOptions,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Plan> => {
  const { output, signal } = context;
  const manifest = await readManifest(file, context);
  const { entries, placeOf } = manifest;
  const projects = entries.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? "");
  const adoptions = adoptionsIn(entries);
  const identify = identifyAdopted(adoptions, placeOf);
  const state = await readState(client, { projects, identify }, signal);
  const missing = missingAdoptions(adoptions, state.entries);
  if (missing.length > 0) {
    const { assertNotElsewhere } = await import("./misplaced-adoptions.js");
    await assertNotElsewhere(missing, state, placeOf, client, signal);
  }
  for (const message of adoptionNotices(missing, state.entries)) {
    output.notice({ code: "plan:not_adopted", message });
  }
  const made = makePlan(manifest, state, { baseUrl: await baseUrlOf(flags, context), prune, targets });
  const { plan, notices } = await placeInRegions(made, client, signal);
  for (const message of plan.warnings) await output.warn({ code: "plan:unchangeable", message });
  for (const notice of notices) output.notice(notice);
  return plan;
};

/** Returns the address of the service. */
export const baseUrlOf = async (flags: GlobalFlags, context: Context): Promise<string> => {
  const { baseUrl } = await resolveAccess(flags, context);
  if (!baseUrl) throw noBaseUrl();
  return baseUrl.value;
};
