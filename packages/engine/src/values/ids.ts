import { idPrefixes } from "../generated/ids.js";
import { InvalidArgumentError } from "./invalid-argument-error.js";

/** Resource types that have an id, with the names that error codes use (`service_token:not_found`). */
export type ResourceType = keyof typeof idPrefixes;

/** Names of the resource types in messages. */
export const resourceTypeNames: Readonly<Record<ResourceType, string>> = {
  user: "user",
  workspace: "workspace",
  service_token: "service token",
  client: "client",
  integration: "integration",
  project: "project",
  branch: "branch",
  database: "database",
  connection: "connection",
  backup: "backup",
  app: "app",
  deployment: "deployment",
  approval: "approval",
};

/** Maximum number of characters of an id in a request. */
export const maxIdLength = 128;

/**
 * Returns the id with its prefix, as the store contains it. Requests may omit the prefix.
 *
 * @throws TypeError for an id that is not a string, which JavaScript programs can pass.
 */
export const toCanonicalId = (resourceType: ResourceType, id: string): string => {
  if (typeof id !== "string")
    throw new InvalidArgumentError(`The id of the ${resourceTypeNames[resourceType]} must be a string`);
  const prefix = idPrefixes[resourceType];
  return id.startsWith(prefix) ? id : prefix + id;
};

/** Generates ids, passwords and names. */
export interface IdGenerator {
  /** Returns the prefix of the resource type and 24 characters of `[a-z0-9]`. */
  generateId(resourceType: ResourceType): string;
  /** Returns `length` characters of `[a-z0-9]`, for parts of host and role names. */
  generateLabel(length: number): string;
  /** Returns an unguessable string of `length` characters of `[A-Za-z0-9]`, for passwords and upload keys. */
  generateSecret(length: number): string;
  /** Returns a readable name, such as `calm-harbor-4821`. */
  generateName(): string;
}
