import { type Sdk, getSdk, loadSdk } from "./load-sdk.js";

// The CommonJS build has sdk-required.ts instead.
const loadResult = await loadSdk();

/**
 * Returns the part of the SDK that creates clients.
 *
 * @throws MockError `mock:sdk_missing` when the SDK is not installed, `mock:sdk_unusable` when it cannot be loaded for another reason.
 */
export const requireSdk = (): Sdk => getSdk(loadResult);
