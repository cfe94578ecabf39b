import type { MgmtClient } from "@mgmt/sdk";
import type { Input } from "../input/read-input.js";
import { valueAt } from "../json/json-path.js";
import type { Notice } from "../output/output.js";
import { homeRegion, type HomeRegion, otherRegionNotice } from "./home-region.js";

/** The input of an operation that creates a database, with its name and its region. */
export interface CompleteInput {
  readonly input: Input;
  /** The notice if the data leaves the region of the source or the project. */
  readonly notice?: Notice;
}

/** Fills in the names and the regions of databases that a command creates. */
export class NewDatabases {
  readonly #homes = new Map<string, Promise<HomeRegion | undefined>>();

  /** @param client reads the source and the project. Without one, the service chooses the region of the project. */
  constructor(
    private readonly client: MgmtClient | undefined,
    private readonly signal: AbortSignal,
  ) {}

  /** Returns the input with the logical id as the name, and with the region of the source or the project, unless it has them. */
  async complete(target: Readonly<Record<string, string>>, input: Input): Promise<CompleteInput> {
    const logicalId = text(valueAt(input.body, ["logicalId"]));
    const isNamed = logicalId === undefined || valueAt(input.body, ["name"]) !== undefined;
    return this.#place(target, isNamed ? input : { ...input, body: { ...input.body, name: logicalId } });
  }

  async #place(target: Readonly<Record<string, string>>, input: Input): Promise<CompleteInput> {
    const { body } = input;
    const explicitRegion = valueAt(body, ["region"]);
    const projectId = target["projectId"] ?? text(valueAt(body, ["projectId"]));
    if (projectId === undefined) return { input };
    const sourceId = text(valueAt(body, ["source", "databaseId"]) ?? valueAt(body, ["fromDatabase", "id"]));
    const home = await this.#home(projectId, sourceId);
    if (explicitRegion === undefined) {
      return { input: { ...input, body: { ...body, region: home?.region ?? "inherit" } } };
    }
    const region =
      explicitRegion === "inherit" ? (await this.#home(projectId))?.region : text(explicitRegion);
    if (!home || region === undefined || region === home.region) return { input };
    return { input, notice: otherRegionNotice(nameOf(body), region, home) };
  }

  #home(projectId: string, sourceId?: string): Promise<HomeRegion | undefined> {
    if (!this.client) return Promise.resolve(undefined);
    const key = sourceId ?? projectId;
    const known = this.#homes.get(key) ?? homeRegion({ projectId, sourceId }, this.client, this.signal);
    this.#homes.set(key, known);
    // The next database may succeed.
    known.catch(() => this.#homes.delete(key));
    return known;
  }
}

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);

const nameOf = (body: unknown): string => {
  const name = text(valueAt(body, ["name"]) ?? valueAt(body, ["logicalId"]));
  return name === undefined ? "The database" : `The database ${name}`;
};
