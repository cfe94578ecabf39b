import type { MgmtClient } from "@mgmt/sdk";
import type { RequestInput } from "../input/read-input.js";
import { getAtPath } from "../json/json-path.js";
import type { Notice } from "../output/messages.js";
import { findHomeRegion, type HomeRegion, createOtherRegionNotice } from "./home-region.js";

/** The input of an operation that creates a database, with its name and its region. */
export interface CompletedInput {
  readonly input: RequestInput;
  /** The notice if the data leaves the region of the source or the project. */
  readonly notice?: Notice;
}

/** Fills in the names and the regions of databases that a command creates. */
export class NewDatabases {
  readonly #homeRegions = new Map<string, Promise<HomeRegion | undefined>>();

  /** @param client reads the source and the project. Without one, the service chooses the region of the project. */
  constructor(
    private readonly client: MgmtClient | undefined,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns the input with the logical id as the name, and with the region of the source or the project, unless it has them. */
  async complete(target: Readonly<Record<string, string>>, input: RequestInput): Promise<CompletedInput> {
    const logicalId = toStringOrUndefined(getAtPath(input.body, ["logicalId"]));
    const isNamed = logicalId === undefined || getAtPath(input.body, ["name"]) !== undefined;
    return this.#fillRegion(target, isNamed ? input : { ...input, body: { ...input.body, name: logicalId } });
  }

  async #fillRegion(target: Readonly<Record<string, string>>, input: RequestInput): Promise<CompletedInput> {
    const { body } = input;
    const explicitRegion = getAtPath(body, ["region"]);
    const projectId = target["projectId"] ?? toStringOrUndefined(getAtPath(body, ["projectId"]));
    if (projectId === undefined) return { input };
    const sourceId = toStringOrUndefined(
      getAtPath(body, ["source", "databaseId"]) ?? getAtPath(body, ["fromDatabase", "id"]),
    );
    const homeRegion = await this.#findHomeRegion(projectId, sourceId);
    if (explicitRegion === undefined) {
      return { input: { ...input, body: { ...body, region: homeRegion?.region ?? "inherit" } } };
    }
    const region =
      explicitRegion === "inherit"
        ? (await this.#findHomeRegion(projectId))?.region
        : toStringOrUndefined(explicitRegion);
    if (!homeRegion || region === undefined || region === homeRegion.region) return { input };
    return { input, notice: createOtherRegionNotice(describeSubject(body), region, homeRegion) };
  }

  #findHomeRegion(projectId: string, sourceId?: string): Promise<HomeRegion | undefined> {
    if (!this.client) return Promise.resolve(undefined);
    const key = sourceId ?? projectId;
    const pendingHomeRegion =
      this.#homeRegions.get(key) ?? findHomeRegion({ projectId, sourceId }, this.client, this.signal);
    this.#homeRegions.set(key, pendingHomeRegion);
    // The next database may succeed.
    pendingHomeRegion.catch(() => this.#homeRegions.delete(key));
    return pendingHomeRegion;
  }
}

const toStringOrUndefined = (value: unknown): string | undefined =>
  typeof value === "string" ? value : undefined;

const describeSubject = (body: unknown): string => {
  const name = toStringOrUndefined(getAtPath(body, ["name"]) ?? getAtPath(body, ["logicalId"]));
  return name === undefined ? "The database" : `The database ${name}`;
};
