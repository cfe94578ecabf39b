import type { getResponse as GetResponse, http as HttpHandlers, passthrough as PassThrough } from "msw";
import type { setupServer as SetupServer } from "msw/node";
import * as mockErrors from "../errors/mock-errors.js";

/** The parts of MSW that the mock uses. */
export interface Msw {
  readonly http: typeof HttpHandlers;
  readonly setupServer: typeof SetupServer;
  readonly getResponse: typeof GetResponse;
  readonly passthrough: typeof PassThrough;
  /** The sources that pass intercepted requests to the server that listens. MSW before 2.13 does not export them. */
  readonly sources: readonly object[];
}

// A static import would fail before this module could report what to install. The CommonJS build has msw-bundled.ts instead.
const loadedMsw: Msw | { readonly failure: unknown } = await Promise.all([
  import("msw"),
  import("msw/node"),
]).then(
  ([{ getResponse, http, passthrough }, { setupServer, ...node }]) => ({
    ...{ getResponse, http, passthrough, setupServer },
    sources: "defaultNetworkOptions" in node ? node.defaultNetworkOptions.sources : [],
  }),
  (failure: unknown) => ({ failure }),
);

/**
 * Returns the parts of MSW that intercept requests.
 *
 * @throws MockError when MSW is not installed.
 */
export const requireMsw = (): Msw => {
  if ("failure" in loadedMsw) throw mockErrors.mswMissing(loadedMsw.failure);
  return loadedMsw;
};
