import type { RequestHandler } from "msw";
import { type OptionSchemas, assertOptions } from "@mgmt/engine/internal";
import { assertHandlers } from "../exchange/request-handlers.js";

export interface StartOptions {
  /** Your own handlers for requests to other hosts. Default: none. */
  readonly handlers?: readonly RequestHandler[] | undefined;
  /** How to handle requests that no handler responds to. Default: `bypass`. */
  readonly onUnhandledRequest?: "bypass" | "warn" | "error" | undefined;
  /** URL of the worker script that `npx msw init` writes. Default: `/mockServiceWorker.js`. */
  readonly workerUrl?: string | undefined;
  /** The pages whose requests the worker receives. Default: those in the folder of the script. */
  readonly scope?: string | undefined;
}

const startOptions: OptionSchemas<StartOptions> = {
  "handlers?": {},
  "onUnhandledRequest?": { enum: ["bypass", "warn", "error"] },
  "workerUrl?": { type: "string" },
  "scope?": { type: "string" },
};

/**
 * Checks the options, because JavaScript programs have no types.
 *
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const assertStartOptions = (options: StartOptions): void => {
  assertOptions(options, startOptions);
  assertHandlers(options.handlers);
};
