import { throwNotLoaded } from "../errors/not-loaded.js";
import type { ClientOptions } from "../request/client-options.js";
import type { OnDemandSteps, ClientSettings } from "../request/context.js";
import { type RequestFunction, createRequest } from "../request/request.js";
import { resolveSettings } from "../request/settings.js";
import type { TimedSteps } from "./timed-steps.js";

/** Loads the code that most calls never need, so that it is not part of what loads at start. No other module imports this code. */
const loadOnDemand = (settings?: ClientSettings): Promise<OnDemandSteps & TimedSteps> =>
  import("./on-demand.js").catch(throwNotLoaded).then((onDemand) => onDemand.create(settings));

/** The parts that a client and its resources share. */
export interface Core {
  readonly settings: ClientSettings;
  readonly request: RequestFunction;
  readonly load: () => Promise<TimedSteps>;
  /** The classes of the resources of the client, by name. */
  readonly classes: ResourceClasses;
}

/** A class such as `ProjectsResource`. */
export type ResourceClass = new (core: Core) => object;

/** The classes of a client's resources, by their names. */
export type ResourceClasses = Readonly<Record<string, ResourceClass>>;

/**
 * Base class of clients and resources. The core is behind a function, because proxies, such as the proxies of state libraries, have no
 * private fields and wrap the objects that they return.
 */
export class CoreOwner {
  declare protected readonly core: () => Core;

  constructor(core: Core) {
    Object.defineProperty(this, "core", { value: () => core });
  }
}

/** Throws `InvalidArgumentError` for options that are not valid. */
export const createCore = (options: ClientOptions | undefined, classes: ResourceClasses): Core =>
  createCoreWithSettings(resolveSettings(options, loadOnDemand), classes);

/** Returns the core of a client whose options are already checked. */
export const createCoreWithSettings = (settings: ClientSettings, classes: ResourceClasses): Core => ({
  settings,
  request: createRequest(settings),
  load: () => loadOnDemand(settings),
  classes,
});
