import type { ClientOptions } from "../request/client-options.js";
import type { OnDemandSteps, Settings } from "../request/context.js";
import { type RequestFunction, createRequest } from "../request/request.js";
import { readSettings } from "../request/settings.js";
import type { TimedSteps } from "./timed-steps.js";

/** Keeps code that most calls never need out of what loads at start. No other module knows what is loaded on demand. */
const loadOnDemand = (settings?: Settings): Promise<OnDemandSteps & TimedSteps> =>
  import("./on-demand.js").then((onDemand) => onDemand.steps(settings));

/** What a client and its resources share. */
export interface Core {
  readonly settings: Settings;
  readonly request: RequestFunction;
  readonly load: () => Promise<TimedSteps>;
}

/** Throws `InvalidArgumentError` for options that are not valid. */
export const createCore = (options: ClientOptions | undefined): Core =>
  coreOf(readSettings(options, loadOnDemand));

export const coreOf = (settings: Settings): Core => ({
  settings,
  request: createRequest(settings),
  load: () => loadOnDemand(settings),
});
