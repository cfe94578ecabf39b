import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { unexpectedResponse } from "../errors/response-errors.js";
import { isObject } from "../json/json-path.js";
import { ensure } from "../run/ensure.js";
import { type Address, ancestorOf, keyOf, managedResource, nameOf } from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";
import { comesWithProject, type CreateStep, type Plan, type Step } from "./plan.js";
import { referencesIn, withIds } from "./references.js";

/** Inputs that differ from the service's default: the databases of a project are entries of their own. */
const initialFields: Readonly<Record<string, Record<string, unknown>>> = {
  project: { createDatabase: false },
};

/** Optional inputs that default to the key of the entry, as required ones do. */
const namedByKey: Readonly<Record<string, string>> = { project: "name", database: "name" };

/** Sends the requests of a plan's steps. */
export class StepRunner {
  /** Ids of existing resources, by the keys of addresses. */
  readonly #ids: Map<string, string>;

  /** @param waits Whether to wait until a database that is copied is ready. */
  constructor(
    private readonly client: MgmtClient,
    plan: Plan,
    private readonly context: Context,
    private readonly waits: boolean,
  ) {
    this.#ids = new Map(plan.read.map((entry) => [keyOf(entry), entry.id]));
  }

  /** Returns the id of the resource that was created, changed or deleted. */
  async run(step: Step): Promise<string> {
    if (step.action === "create") return this.#create(step);
    const { signal } = this.context;
    const { update, delete: remove } = managedResource(step.resource);
    const path = (step.action === "update" ? update : remove)?.path ?? "";
    const parameter = /\{(\w+)\}$/.exec(path)?.[1] ?? "";
    const call = { path, pathParams: { [parameter]: step.id } };
    if (step.action === "delete") {
      await this.client.request({ ...call, method: "DELETE" }, { signal });
    } else {
      const body = Object.fromEntries(step.changes.map(({ field, to }) => [field, to]));
      await this.client.request({ ...call, method: "PATCH", body }, { signal });
    }
    return step.id;
  }

  /** Creates a resource, or finds the one that an interrupted run has created. */
  async #create(step: CreateStep): Promise<string> {
    const resource = managedResource(step.resource);
    const { create, identity, parents, fields } = resource;
    const key = step.path.at(-1) ?? "";
    const target: Record<string, string> = {};
    const body: Record<string, unknown> = { ...initialFields[step.resource] };
    for (const parent of parents) {
      const id = await this.#idOf(ancestorOf(step, parent.resource));
      if (create.parameters.includes(parent.input)) target[parent.input] = id;
      else body[parent.input] = id;
    }
    for (const { input, required } of fields) {
      if (required || namedByKey[step.resource] === input) body[input] = key;
    }
    Object.assign(body, await this.#resolved(step));
    body[identity.input] = key;
    const operation = { id: create.id, arguments: create.parameters.map((name) => ({ name })) };
    const created = await ensure(operation, target, body, this.client, this.context);
    const id = String(created.resource["id"]);
    this.#ids.set(keyOf(step), id);
    return id;
  }

  /** Returns the fields with ids in place of references, once the databases that are copied are ready. */
  async #resolved(step: CreateStep): Promise<Record<string, unknown>> {
    const ids = new Map<string, string>();
    for (const reference of referencesIn(step.fields, step)) {
      const id = await this.#idOf(reference);
      ids.set(keyOf(reference), id);
      if (this.waits && reference.resource === "database") {
        await this.client.databases.waitUntilReady(id, { signal: this.context.signal });
      }
    }
    const fields = withIds(step.fields, step, (address) => ids.get(keyOf(address)) ?? "");
    return isObject(fields) ? fields : {};
  }

  async #idOf(address: Address): Promise<string> {
    const known = this.#ids.get(keyOf(address));
    if (known !== undefined) return known;
    if (!comesWithProject(address)) throw new Error(`${nameOf(address)} was not created`);
    const id = await this.#find(managedResource(address.resource), address);
    this.#ids.set(keyOf(address), id);
    return id;
  }

  /** Finds a resource that was created together with its container. */
  async #find({ list, identity, container = "" }: ManagedResource, address: Address): Promise<string> {
    const holder = await this.#idOf(ancestorOf(address, container));
    const { data } = await this.client.requestPages<{ id: string }>(
      {
        method: "GET",
        path: list.path,
        pathParams: Object.fromEntries(list.parameters.map((name) => [name, holder])),
        query: Object.fromEntries([[identity.property, address.path.at(-1) ?? ""]]),
      },
      { signal: this.context.signal },
    );
    const [resource] = data;
    if (resource === undefined) throw unexpectedResponse(`a list with the ${nameOf(address)}`);
    return resource.id;
  }
}
