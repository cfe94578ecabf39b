export { type Platform, type PlatformOptions, type Ready, startPlatform } from "./platform.js";
export { PlatformError, type PlatformErrorCode } from "./platform-error.js";
