import type { ClientOptions } from "./request/client-options.js";
import type { Settings } from "./request/context.js";
import { type RequestFunction, createRequest } from "./request/request.js";
import { readSettings } from "./request/settings.js";

// The only module that knows what is loaded on demand: code that most calls never need stays out of what loads at start.
const loadOnDemand = (): Promise<typeof import("./on-demand.js")> => import("./on-demand.js");

/** What a client and its resources share. */
export interface Core {
  readonly settings: Settings;
  readonly request: RequestFunction;
  readonly load: typeof loadOnDemand;
}

/** Throws `InvalidArgumentError` for options that are not valid. */
export const createCore = (options: ClientOptions | undefined): Core => {
  const settings = readSettings(options, loadOnDemand);
  return { settings, request: createRequest(settings), load: loadOnDemand };
};
