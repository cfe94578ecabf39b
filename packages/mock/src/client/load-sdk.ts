import type { createClient as CreateClient } from "@mgmt/sdk";
import * as mockErrors from "../errors/mock-errors.js";

/** The part of the SDK that creates clients. */
export interface Sdk {
  readonly createClient: typeof CreateClient;
}

export type LoadedSdk = Sdk | { readonly failure: unknown };

/**
 * Lets the SDK load the code that a first failed call needs. Under fake timers, a test that moves the time once would otherwise do so
 * before there is a timer.
 */
const preloadOnDemandFiles = async (createClient: typeof CreateClient): Promise<void> => {
  const send = () => Promise.resolve({ status: 400, headers: {}, body: "" });
  await createClient({ baseUrl: "https://api.mgmt.test", token: false, transport: { send } })
    .me.get()
    .catch(() => undefined);
};

/** Loads the SDK. A static import would fail where it is not installed. */
export const loadSdk = (): Promise<LoadedSdk> =>
  // oxlint-disable-next-line no-restricted-imports
  import("@mgmt/sdk").then(
    async ({ createClient }) => {
      await preloadOnDemandFiles(createClient);
      return { createClient };
    },
    (failure: unknown) => ({ failure }),
  );

/** @throws MockError when the SDK is not installed. */
export const requireLoadedSdk = (loadedSdk: LoadedSdk): Sdk => {
  if ("failure" in loadedSdk) throw mockErrors.sdkMissing(loadedSdk.failure);
  return loadedSdk;
};
