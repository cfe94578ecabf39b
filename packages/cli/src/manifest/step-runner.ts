import type { MgmtClient } from "@mgmt/sdk";
import type { Context } from "../input/context.js";
import { unexpectedResponseError } from "../errors/response-errors.js";
import { isObject } from "../json/json-path.js";
import { ensureResource } from "../run/ensure.js";
import {
  type EntryAddress,
  requireAncestor,
  toAddressKey,
  getManagedResource,
  formatAddress,
} from "./entry.js";
import type { ManagedResource } from "../contract/managed-resource.js";
import { isCreatedWithProject, type CreateStep, type Plan, type Step } from "./plan.js";
import { collectReferences, replaceReferences } from "./references.js";

/** Inputs instead of the service's defaults: the databases of a project are entries of their own. */
const defaultInputs: Readonly<Record<string, Record<string, unknown>>> = {
  project: { createDatabase: false },
};

/** Optional inputs that default to the key of the entry, as required ones do. */
const keyedInputByResource: Readonly<Record<string, string>> = { project: "name", database: "name" };

/** Sends the requests of a plan's steps. */
export class StepRunner {
  /** Ids of existing resources, by the keys of addresses. */
  readonly #ids: Map<string, string>;

  /** @param waitsForSources whether to wait until a database is ready before it is copied. */
  constructor(
    private readonly client: MgmtClient,
    plan: Plan,
    private readonly context: Context,
    private readonly waitsForSources: boolean,
  ) {
    this.#ids = new Map(plan.read.map((entry) => [toAddressKey(entry), entry.id]));
  }

  /** Returns the id of the resource that was created, changed or deleted. */
  async run(step: Step): Promise<string> {
    if (step.action === "create") return this.#create(step);
    const { signal } = this.context;
    const { update: updateOperation, delete: deleteOperation } = getManagedResource(step.resource);
    const path = (step.action === "update" ? updateOperation : deleteOperation)?.path;
    if (path === undefined) throw new Error(`${formatAddress(step)} has no ${step.action} operation`);
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

  /** Creates a resource, or finds the resource that an interrupted run has created. */
  async #create(step: CreateStep): Promise<string> {
    const resource = getManagedResource(step.resource);
    const { create, identity, parents, fields } = resource;
    const key = step.path.at(-1) ?? "";
    const pathParameters: Record<string, string> = {};
    const body: Record<string, unknown> = { ...defaultInputs[step.resource] };
    for (const parent of parents) {
      const id = await this.#resolveId(requireAncestor(step, parent.resource));
      if (create.parameters.includes(parent.input)) pathParameters[parent.input] = id;
      else body[parent.input] = id;
    }
    for (const { input, required } of fields) {
      if (required || keyedInputByResource[step.resource] === input) body[input] = key;
    }
    Object.assign(body, await this.#resolveFields(step));
    body[identity.input] = key;
    const operation = { id: create.id, arguments: create.parameters.map((name) => ({ name })) };
    const { resource: ensuredResource } = await ensureResource(
      operation,
      pathParameters,
      body,
      this.client,
      this.context,
    );
    const id = String(ensuredResource["id"]);
    this.#ids.set(toAddressKey(step), id);
    return id;
  }

  /** Returns the fields with ids instead of references, once the databases that are copied are ready. */
  async #resolveFields(step: CreateStep): Promise<Record<string, unknown>> {
    const ids = new Map<string, string>();
    for (const reference of collectReferences(step.fields, step)) {
      const id = await this.#resolveId(reference);
      ids.set(toAddressKey(reference), id);
      if (this.waitsForSources && reference.resource === "database") {
        await this.client.databases.waitUntilReady(id, { signal: this.context.signal });
      }
    }
    const fields = replaceReferences(step.fields, step, (address) => ids.get(toAddressKey(address)) ?? "");
    return isObject(fields) ? fields : {};
  }

  async #resolveId(address: EntryAddress): Promise<string> {
    const knownId = this.#ids.get(toAddressKey(address));
    if (knownId !== undefined) return knownId;
    if (!isCreatedWithProject(address)) throw new Error(`${formatAddress(address)} was not created`);
    const id = await this.#fetchCreatedId(getManagedResource(address.resource), address);
    this.#ids.set(toAddressKey(address), id);
    return id;
  }

  /** Finds a resource that was created together with its container. */
  async #fetchCreatedId(
    { list, identity, container = "" }: ManagedResource,
    address: EntryAddress,
  ): Promise<string> {
    const containerId = await this.#resolveId(requireAncestor(address, container));
    const { data } = await this.client.requestPages<{ id: string }>(
      {
        method: "GET",
        path: list.path,
        pathParams: Object.fromEntries(list.parameters.map((name) => [name, containerId])),
        query: Object.fromEntries([[identity.property, address.path.at(-1) ?? ""]]),
      },
      { signal: this.context.signal },
    );
    const [resource] = data;
    if (resource === undefined) throw unexpectedResponseError(`a list with the ${formatAddress(address)}`);
    return resource.id;
  }
}
