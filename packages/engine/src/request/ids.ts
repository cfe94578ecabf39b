import { idPrefixes } from "../generated/ids.js";

/** The kinds of resource that have an id, by the name that error codes use (`service_token:not_found`). */
export type Kind = keyof typeof idPrefixes;

/** How messages call the kinds. */
export const kindNames: Readonly<Record<Kind, string>> = {
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

/** Returns the id with its prefix, as the store has it. Requests can contain ids without prefix. */
export const canonicalId = (kind: Kind, id: string): string => {
  const prefix = idPrefixes[kind];
  return id.startsWith(prefix) ? id : prefix + id;
};

/** Where invented ids, passwords and names come from. */
export interface Ids {
  /** The kind's prefix and 24 of `[a-z0-9]`. */
  id(kind: Kind): string;
  /** `length` characters of `[a-z0-9]`, for parts of host and role names. */
  label(length: number): string;
  /** An unguessable string of `length` characters of `[A-Za-z0-9]`, for passwords and upload keys. */
  secret(length: number): string;
  /** A readable name, like `calm-harbor-4821`. */
  name(): string;
}
