import { type Sdk, loadSdk, requireLoadedSdk } from "./load-sdk.js";

// The CommonJS build has sdk-required.ts instead.
const loadedSdk = await loadSdk();

/**
 * Returns the part of the SDK that creates clients.
 *
 * @throws MockError when the SDK is not installed.
 */
export const requireSdk = (): Sdk => requireLoadedSdk(loadedSdk);
