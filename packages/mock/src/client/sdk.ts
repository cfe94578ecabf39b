import type { createClient as CreateClient } from "@mgmt/sdk";
import { mockErrors } from "../errors/mock-error.js";

export interface Sdk {
  readonly createClient: typeof CreateClient;
}

// A static import would fail where the SDK is not installed. The CommonJS build has sdk-required.ts instead.
const loaded: Sdk | { readonly failure: unknown } = await import("@mgmt/sdk").then(
  ({ createClient }) => ({ createClient }),
  (failure: unknown) => ({ failure }),
);

/**
 * Returns the part of the SDK that creates clients.
 *
 * @throws MockError when the SDK is not installed.
 */
export const requireSdk = (): Sdk => {
  if ("failure" in loaded) throw mockErrors.withoutSdk(loaded.failure);
  return loaded;
};
