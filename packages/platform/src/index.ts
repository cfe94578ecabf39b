export { type Platform, type PlatformOptions, startPlatform } from "./start/platform.js";
export { PlatformError, type PlatformErrorCode } from "./errors/platform-error.js";
export type { CopyMethod } from "./machine/postgres/copy-method.js";
export type { Ready } from "./start/ready.js";
