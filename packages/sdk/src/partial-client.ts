import { BareClient } from "./bare-client.js";
import { type ResourceClasses, createCore } from "./methods/core.js";
import type { ClientOptions } from "./request/client-options.js";

/** A client that has only some resources, under the names it was given. */
export type PartialClient<Classes extends ResourceClasses> = BareClient & {
  readonly [Name in keyof Classes]: InstanceType<Classes[Name]>;
};

/**
 * Creates a client of only the resources that a program uses; its bundle leaves out the others.
 *
 * ```ts
 * const client = createPartialClient({ projects: ProjectsResource });
 * const project = await client.projects.get("proj_1");
 * const { data, error } = await safely(client).projects.get("proj_1");
 * ```
 *
 * Throws as `createClient`.
 */
export const createPartialClient = <Classes extends ResourceClasses>(
  classes: Classes,
  options?: ClientOptions,
): PartialClient<Classes> =>
  // The constructor has made an instance of every class.
  new BareClient(createCore(options, classes)) as PartialClient<Classes>;
