import type { MgmtClient } from "@mgmt/sdk";
import type { Context, GlobalFlags } from "../input/context.js";
import { missingBaseUrlError } from "../errors/access-errors.js";
import { resolveAccess } from "../profiles/resolve-access.js";
import {
  renderAdoptionNotices,
  collectAdoptions,
  createAdoptionMatcher,
  findMissingAdoptions,
} from "./adopt.js";
import { assignRegions } from "./assign-regions.js";
import { createPlan, type Plan, type PlanOptions } from "./plan.js";
import { readManifest } from "./read-manifest.js";
import { type IsPreview, readState } from "./read-state.js";

export interface ManifestOptions extends Pick<PlanOptions, "prune" | "targets"> {
  /** Default: `mgmt.yaml`. */
  readonly file?: string | undefined;
  /** Returns whether a database belongs to a preview. Such databases are left out, unless the manifest has them. */
  readonly isPreview: IsPreview;
}

/** Reads a manifest, compares it with the service, and warns about fields that cannot be changed. */
export const createPlanFromFile = async (
  { file, prune, targets, isPreview }: ManifestOptions,
  client: MgmtClient,
  flags: GlobalFlags,
  context: Context,
): Promise<Plan> => {
  const { output, signal } = context;
  const manifest = await readManifest(file, context);
  const { entries, locateEntry } = manifest;
  const projects = entries.filter(({ path }) => path.length === 1).map(({ path }) => path[0] ?? "");
  const adoptions = collectAdoptions(entries);
  const identify = createAdoptionMatcher(adoptions, locateEntry);
  const state = await readState(client, { projects, identify, isPreview, ownedEntries: entries }, signal);
  const missingAdoptions = findMissingAdoptions(adoptions, state.entries);
  if (missingAdoptions.length > 0) {
    const { assertAdoptionsNotMisplaced } = await import("./misplaced-adoptions.js");
    await assertAdoptionsNotMisplaced(missingAdoptions, state, locateEntry, client, signal);
  }
  for (const message of renderAdoptionNotices(missingAdoptions, state.entries)) {
    output.notice({ code: "plan:not_adopted", message });
  }
  const planWithoutRegions = createPlan(manifest, state, {
    baseUrl: await resolveBaseUrl(flags, context),
    prune,
    targets,
  });
  const { plan, notices } = await assignRegions(planWithoutRegions, client, signal);
  for (const message of plan.warnings) await output.warn({ code: "plan:unchangeable", message });
  for (const notice of notices) output.notice(notice);
  return plan;
};

/** Returns the URL of the service. */
export const resolveBaseUrl = async (flags: GlobalFlags, context: Context): Promise<string> => {
  const { baseUrl } = await resolveAccess(flags, context);
  if (!baseUrl) throw missingBaseUrlError();
  return baseUrl.value;
};
