import type { createClient as CreateClient } from "@mgmt/sdk";
import { mockErrors } from "../errors/mock-error.js";

export interface Sdk {
  readonly createClient: typeof CreateClient;
}

/**
 * Lets the SDK load the code that a first failed call needs. Under fake timers, a test that moves the time once would otherwise do so
 * before there is a timer.
 */
const loadRetries = async (createClient: typeof CreateClient): Promise<void> => {
  const send = () => Promise.resolve({ status: 400, headers: {}, body: "" });
  await createClient({ baseUrl: "https://api.mgmt.test", token: false, transport: { send } })
    .me.get()
    .catch(() => undefined);
};

// A static import would fail where the SDK is not installed. The CommonJS build has sdk-required.ts instead.
// oxlint-disable-next-line no-restricted-imports
const loaded: Sdk | { readonly failure: unknown } = await import("@mgmt/sdk").then(
  async ({ createClient }) => {
    await loadRetries(createClient);
    return { createClient };
  },
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
