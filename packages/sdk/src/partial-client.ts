import { BareClient, type ResourceClass } from "./bare-client.js";
import { type ClientOptions, readSettings } from "./request/settings.js";

/** A client that has some resources only, under the names that it was given. */
export type PartialClient<Classes extends Readonly<Record<string, ResourceClass>>> = BareClient & {
  readonly [Name in keyof Classes]: InstanceType<Classes[Name]>;
};

/**
 * Makes a client of those resources that a program uses, so that its bundle leaves out the others.
 *
 * ```ts
 * const client = createPartialClient({ projects: ProjectsResource }, { baseUrl: "https://api.example.com" });
 * const project = await client.projects.get("proj_1");
 * const { data, error } = await safely(client).projects.get("proj_1");
 * ```
 *
 * Throws as `createClient`.
 */
export const createPartialClient = <Classes extends Readonly<Record<string, ResourceClass>>>(
  classes: Classes,
  options: ClientOptions,
): PartialClient<Classes> =>
  // The constructor has made an instance of every class.
  new BareClient(readSettings(options), classes) as PartialClient<Classes>;
