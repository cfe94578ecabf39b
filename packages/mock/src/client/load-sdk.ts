import type { createClient as CreateClient } from "@mgmt/sdk";
import * as mockErrors from "../errors/mock-errors.js";

/** The part of the SDK that creates clients. */
export interface Sdk {
  readonly createClient: typeof CreateClient;
}

/** The SDK, or the error with which it could not be loaded. */
export type SdkLoadResult = Sdk | { readonly failure: unknown };

/**
 * Makes one request fail, so that the SDK loads the code that handles failed requests. Under fake timers, a test that advances the time once
 * would otherwise advance it before that code has set its timer. Nothing is sent: the transport returns the error response itself.
 */
const preloadErrorHandling = async (createClient: typeof CreateClient): Promise<void> => {
  const send = () => Promise.resolve({ status: 400, headers: {}, body: "" });
  const client = createClient({ baseUrl: "https://api.mgmt.test", token: false, transport: { send } });
  await client.me.get().catch(() => undefined);
};

/** Fails where the SDK is not installed. The rule keeps the SDK out of the mock, which works without it. */
// oxlint-disable-next-line no-restricted-imports
const importSdk = (): Promise<Sdk> => import("@mgmt/sdk");

/**
 * Loads the SDK. Never rejects, because a mock without clients works without the SDK.
 *
 * @param importModule imports it. Default: the one that is installed.
 */
export const loadSdk = async (importModule: () => Promise<Sdk> = importSdk): Promise<SdkLoadResult> => {
  try {
    const { createClient } = await importModule();
    await preloadErrorHandling(createClient);
    return { createClient };
  } catch (failure) {
    return { failure };
  }
};

/**
 * Returns the SDK of a result.
 *
 * @throws MockError `mock:sdk_missing` when the SDK is not installed, `mock:sdk_unusable` when it cannot be loaded for another reason. */
export const getSdk = (result: SdkLoadResult): Sdk => {
  if ("failure" in result) throw mockErrors.sdkMissing(result.failure);
  return result;
};
