import type { http as HttpHandlers } from "msw";
import type { setupServer as SetupServer } from "msw/node";
import { mockErrors } from "./mock-error.js";

export interface Msw {
  readonly http: typeof HttpHandlers;
  readonly setupServer: typeof SetupServer;
}

// A static import would fail before this module could say what to install. The CommonJS build has msw-bundled.ts instead.
const loaded: Msw | { readonly failure: unknown } = await Promise.all([
  import("msw"),
  import("msw/node"),
]).then(
  ([{ http }, { setupServer }]) => ({ http, setupServer }),
  (failure: unknown) => ({ failure }),
);

/**
 * Returns the parts of MSW that intercept requests.
 *
 * @throws MockError when MSW is not installed.
 */
export const requireMsw = (): Msw => {
  if ("failure" in loaded) throw mockErrors.withoutMsw(loaded.failure);
  return loaded;
};
