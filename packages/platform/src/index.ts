export { type Platform, type PlatformOptions, startPlatform } from "./platform.js";
export { PlatformError, type PlatformErrorCode } from "./errors/platform-error.js";
export type { Ready } from "./ready.js";
