import type { MgmtClient } from "@mgmt/sdk";
import { getAtPath } from "../json/json-path.js";
import { findHomeRegion, type HomeRegion, createOtherRegionNotice } from "../run/home-region.js";
import type { Notice } from "../output/messages.js";
import {
  type EntryAddress,
  requireAncestor,
  toAddressKey,
  getManagedResource,
  formatAddress,
} from "./entry.js";
import type { CreateStep, Plan, Step } from "./plan.js";
import { collectReferences } from "./references.js";

/** A plan whose new projects and databases have regions, and notices about those that the manifest puts into another region. */
export interface PlanWithRegions {
  readonly plan: Plan;
  readonly notices: readonly Notice[];
}

/**
 * Gives every database that a plan creates the region of its source, or else of its project, unless it has a region. A new project without
 * one gets the region of its databases. Any other project and database gets the default of the service, so that the plan shows it.
 */
export const assignRegions = async (
  plan: Plan,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<PlanWithRegions> => {
  const regionByKey = new Map(plan.read.map((entry) => [toAddressKey(entry), entry.fields["region"]]));
  const regionFinder = new HomeRegionFinder(plan, regionByKey, client, signal);
  const steps: Step[] = [];
  const notices: Notice[] = [];
  for (const step of plan.steps) {
    const stepWithRegion = isNewDatabase(step)
      ? await setDatabaseRegion(step, regionFinder, notices)
      : setNewProjectRegion(step, plan);
    if (stepWithRegion.action === "create")
      regionByKey.set(toAddressKey(stepWithRegion), stepWithRegion.fields["region"]);
    steps.push(stepWithRegion);
  }
  return { plan: { ...plan, steps }, notices };
};

const isNewDatabase = (step: Step): step is CreateStep =>
  step.action === "create" && step.resource === "database";

/** Returns the region of a database whose entry has none. */
const getDefaultRegion = (): unknown =>
  getManagedResource("database").fields.find(({ input }) => input === "region")?.default;

const setDatabaseRegion = async (
  step: CreateStep,
  regionFinder: HomeRegionFinder,
  notices: Notice[],
): Promise<CreateStep> => {
  const homeRegion = await regionFinder.findForDatabase(step);
  const chosenRegion = step.fields["region"];
  if (chosenRegion === undefined) return setRegion(step, homeRegion?.region ?? getDefaultRegion());
  const region =
    chosenRegion === "inherit" ? (await regionFinder.findForProject(step))?.region : chosenRegion;
  if (homeRegion && typeof region === "string" && region !== homeRegion.region)
    notices.push(createOtherRegionNotice(formatAddress(step), region, homeRegion));
  return step;
};

/**
 * Gives a new project without a region the region of its default database, or else the only region that its databases name. One whose
 * databases name several gets none.
 */
const setNewProjectRegion = (step: Step, { steps }: Plan): Step => {
  const isNewProject = step.action === "create" && step.resource === "project";
  if (!isNewProject || step.fields["region"] !== undefined) return step;
  const databases = steps
    .filter(isNewDatabase)
    .filter((candidate) => toAddressKey(requireAncestor(candidate, "project")) === toAddressKey(step));
  const collectRegions = (createSteps: readonly CreateStep[]): Set<unknown> =>
    new Set(
      createSteps
        .map(({ fields }) => fields["region"])
        .filter((region) => region !== undefined && region !== "inherit"),
    );
  const defaultRegions = collectRegions(databases.filter(({ fields }) => fields["isDefault"] === true));
  const [region = getDefaultRegion(), ...otherRegions] =
    defaultRegions.size > 0 ? defaultRegions : collectRegions(databases);
  return otherRegions.length > 0 ? step : setRegion(step, region);
};

const setRegion = (step: CreateStep, region: unknown): CreateStep =>
  region === undefined ? step : { ...step, fields: { ...step.fields, region } };

/** Finds the regions that new databases are expected to be in. */
class HomeRegionFinder {
  /** @param regionByKey the regions of existing resources and of the steps so far, by the keys of addresses. */
  constructor(
    private readonly plan: Plan,
    private readonly regionByKey: ReadonlyMap<string, unknown>,
    private readonly client: MgmtClient,
    private readonly signal: AbortSignal,
  ) {}

  async findForDatabase(step: CreateStep): Promise<HomeRegion | undefined> {
    const { source } = step.fields;
    const [reference] = collectReferences(source, step);
    if (reference) return this.#findKnownRegion(reference);
    const sourceId = getAtPath(source, ["databaseId"]);
    if (typeof sourceId !== "string") return this.findForProject(step);
    return findHomeRegion({ projectId: "", sourceId }, this.client, this.signal);
  }

  /** Returns the project's region, or else the region of its default database. */
  async findForProject(step: CreateStep): Promise<HomeRegion | undefined> {
    const project = requireAncestor(step, "project");
    const knownRegion = this.#findKnownRegion(project);
    if (knownRegion) return knownRegion;
    const existingProject = this.plan.read.find((entry) => toAddressKey(entry) === toAddressKey(project));
    if (existingProject) return findHomeRegion({ projectId: existingProject.id }, this.client, this.signal);
    const defaultDatabase = this.plan.steps.find(
      (otherStep) =>
        isNewDatabase(otherStep) &&
        otherStep.fields["isDefault"] === true &&
        toAddressKey(requireAncestor(otherStep, "project")) === toAddressKey(project),
    );
    return defaultDatabase && this.#findKnownRegion(defaultDatabase);
  }

  #findKnownRegion(address: EntryAddress): HomeRegion | undefined {
    const step = this.plan.steps.find((candidate) => toAddressKey(candidate) === toAddressKey(address));
    const region =
      this.regionByKey.get(toAddressKey(address)) ??
      (step?.action === "create" ? step.fields["region"] : undefined);
    return typeof region === "string" && region !== "inherit"
      ? { region, owner: formatAddress(address) }
      : undefined;
  }
}
