// The types of what these functions return.
export type { Credential } from "./credential.js";
export type { TokenStore } from "./token-store.js";
export { cliLogin } from "./cli/cli-login.js";
export type { CliLogin, CliLoginOptions } from "./cli/cli-login.js";
export { withFileLock } from "./files/lease-lock.js";
export type { FileLockOptions } from "./files/lease-lock.js";
export { fileStore } from "./files/file-store.js";
export { loginWithLoopback } from "./loopback/login-with-loopback.js";
export type { LoopbackLoginOptions } from "./loopback/login-with-loopback.js";
