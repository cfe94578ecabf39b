import type { MgmtClient } from "@mgmt/sdk";
import { valueAt } from "../json/json-path.js";
import { homeRegion, type HomeRegion, otherRegionNotice } from "../run/home-region.js";
import type { Notice } from "../output/output.js";
import { type Address, ancestorOf, keyOf, managedResource, nameOf } from "./entry.js";
import type { CreateStep, Plan, Step } from "./plan.js";
import { referencesIn } from "./references.js";

/** A plan whose new projects and databases have regions, and what to say about those that the manifest puts into another region. */
export interface PlacedPlan {
  readonly plan: Plan;
  readonly notices: readonly Notice[];
}

/**
 * Gives every database that a plan creates the region of its source, or else of its project, unless it has a region. A new project without
 * one gets that of its databases. Any other project and database gets the default of the service, so that the plan shows it.
 */
export const placeInRegions = async (
  plan: Plan,
  client: MgmtClient,
  signal: AbortSignal,
): Promise<PlacedPlan> => {
  const regions = new Map(plan.read.map((entry) => [keyOf(entry), entry.fields["region"]]));
  const homes = new Homes(plan, regions, client, signal);
  const steps: Step[] = [];
  const notices: Notice[] = [];
  for (const step of plan.steps) {
    const placed = isNewDatabase(step)
      ? await placedDatabase(step, homes, notices)
      : placedProject(step, plan);
    if (placed.action === "create") regions.set(keyOf(placed), placed.fields["region"]);
    steps.push(placed);
  }
  return { plan: { ...plan, steps }, notices };
};

const isNewDatabase = (step: Step): step is CreateStep =>
  step.action === "create" && step.resource === "database";

/** The region of a database that is created without one. */
const serviceDefault = (): unknown =>
  managedResource("database").fields.find(({ input }) => input === "region")?.default;

const placedDatabase = async (step: CreateStep, homes: Homes, notices: Notice[]): Promise<CreateStep> => {
  const home = await homes.of(step);
  const chosenRegion = step.fields["region"];
  if (chosenRegion === undefined) return withRegion(step, home?.region ?? serviceDefault());
  const region = chosenRegion === "inherit" ? (await homes.ofProject(step))?.region : chosenRegion;
  if (home && typeof region === "string" && region !== home.region)
    notices.push(otherRegionNotice(nameOf(step), region, home));
  return step;
};

/**
 * Gives a new project without a region that of its default database, or else the only one that its databases name. One whose
 * databases name several gets none.
 */
const placedProject = (step: Step, { steps }: Plan): Step => {
  const isProject = step.action === "create" && step.resource === "project";
  if (!isProject || step.fields["region"] !== undefined) return step;
  const databases = steps
    .filter(isNewDatabase)
    .filter((candidate) => keyOf(ancestorOf(candidate, "project")) === keyOf(step));
  const regionsOf = (from: readonly CreateStep[]): Set<unknown> =>
    new Set(
      from
        .map(({ fields }) => fields["region"])
        .filter((region) => region !== undefined && region !== "inherit"),
    );
  const own = regionsOf(databases.filter(({ fields }) => fields["isDefault"] === true));
  const [region = serviceDefault(), ...others] = own.size > 0 ? own : regionsOf(databases);
  return others.length > 0 ? step : withRegion(step, region);
};

const withRegion = (step: CreateStep, region: unknown): CreateStep =>
  region === undefined ? step : { ...step, fields: { ...step.fields, region } };

/** Finds the regions that new databases are expected to be in. */
class Homes {
  /** @param regions those of existing resources and of the steps so far, by the keys of addresses. */
  constructor(
    private readonly plan: Plan,
    private readonly regions: ReadonlyMap<string, unknown>,
    private readonly client: MgmtClient,
    private readonly signal: AbortSignal,
  ) {}

  async of(step: CreateStep): Promise<HomeRegion | undefined> {
    const { source } = step.fields;
    const [reference] = referencesIn(source, step);
    if (reference) return this.#known(reference);
    const sourceId = valueAt(source, ["databaseId"]);
    if (typeof sourceId !== "string") return this.ofProject(step);
    return homeRegion({ projectId: "", sourceId }, this.client, this.signal);
  }

  /** Returns the project's region, or else that of its default database. */
  async ofProject(step: CreateStep): Promise<HomeRegion | undefined> {
    const project = ancestorOf(step, "project");
    const known = this.#known(project);
    if (known) return known;
    const existing = this.plan.read.find((entry) => keyOf(entry) === keyOf(project));
    if (existing) return homeRegion({ projectId: existing.id }, this.client, this.signal);
    const defaultDatabase = this.plan.steps.find(
      (other) =>
        isNewDatabase(other) &&
        other.fields["isDefault"] === true &&
        keyOf(ancestorOf(other, "project")) === keyOf(project),
    );
    return defaultDatabase && this.#known(defaultDatabase);
  }

  #known(address: Address): HomeRegion | undefined {
    const step = this.plan.steps.find((candidate) => keyOf(candidate) === keyOf(address));
    const region =
      this.regions.get(keyOf(address)) ?? (step?.action === "create" ? step.fields["region"] : undefined);
    return typeof region === "string" && region !== "inherit" ? { region, of: nameOf(address) } : undefined;
  }
}
