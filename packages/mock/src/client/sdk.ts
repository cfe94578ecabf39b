import { type Sdk, loadSdk, sdkOf } from "./load-sdk.js";

// The CommonJS build has sdk-required.ts instead.
const loaded = await loadSdk();

/**
 * Returns the part of the SDK that creates clients.
 *
 * @throws MockError when the SDK is not installed.
 */
export const requireSdk = (): Sdk => sdkOf(loaded);
