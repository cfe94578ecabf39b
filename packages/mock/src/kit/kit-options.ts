import type { RequestHandler } from "msw";
import type { EngineOptions } from "@mgmt/engine";
import { assertEngineOptions } from "@mgmt/engine/internal";
import type { MockOptions } from "../mocks/mock-options.js";
import { assertHandlers } from "../exchange/request-handlers.js";
import { type MswServer, prepareServer } from "../interception/interception.js";
import { assertServer } from "../interception/listen-options.js";

/** Settings of the fixtures. */
export interface KitOptions extends MockOptions {
  /**
   * Your own MSW server, to let the mocks intercept requests in it. You start and close it. A handler that a test adds with
   * `server.use()` comes before the mock; those that the server already has do not. Default: a server that all mocks share.
   */
  server?: MswServer | undefined;
  /** Your own handlers for requests to other hosts, instead of `server`. Default: none. */
  handlers?: readonly RequestHandler[] | undefined;
  /**
   * Returns whether a test may send a request to a host other than the mock. A request that your own handlers respond to is not sent.
   * Other requests fail. Default: the hosts of this machine, such as `localhost`.
   */
  passThrough?: ((url: URL) => boolean) | undefined;
  /**
   * Whether a test fails if a fault that it has added has applied to no request. The faults of a shared mock are checked when no
   * test uses it any longer. Default: false.
   */
  assertFaultsStruck?: boolean | undefined;
}

const kitOptionNames: Record<Exclude<keyof KitOptions, keyof EngineOptions>, true> = {
  baseUrl: true,
  server: true,
  handlers: true,
  passThrough: true,
  assertFaultsStruck: true,
};

/** The options, checked. */
export interface KitSettings {
  readonly mockOptions: MockOptions;
  readonly server: MswServer | undefined;
  readonly handlers: readonly RequestHandler[];
  readonly passThrough: (url: URL) => boolean;
  readonly assertFaultsStruck: boolean;
}

/**
 * Checks the options, and prepares the developer's server.
 *
 * @throws TypeError for an option that does not exist or is not valid.
 */
export const resolveKitOptions = (options: KitOptions): KitSettings => {
  assertEngineOptions(options, Object.keys(kitOptionNames));
  const { server, handlers, passThrough, assertFaultsStruck, ...mockOptions } = options;
  if (server !== undefined && handlers !== undefined) {
    throw new TypeError(
      "Pass server or handlers, not both. A server can have the handlers: setupServer(...handlers)",
    );
  }
  assertServer(server);
  assertHandlers(handlers);
  if (passThrough !== undefined && typeof passThrough !== "function") {
    throw new TypeError("passThrough must be a function that takes a URL and returns a boolean");
  }
  if (assertFaultsStruck !== undefined && typeof assertFaultsStruck !== "boolean") {
    throw new TypeError("assertFaultsStruck must be a boolean");
  }
  if (server) prepareServer(server);
  return {
    ...{ mockOptions, server },
    handlers: handlers ?? [],
    passThrough: passThrough ?? isLoopback,
    assertFaultsStruck: assertFaultsStruck ?? false,
  };
};

/** Hosts that a test may reach: its own servers. */
const isLoopback = ({ hostname }: URL): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
