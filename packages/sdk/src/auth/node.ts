export { cliLogin } from "./cli/cli-login.js";
export type { CliLogin, CliLoginOptions } from "./cli/cli-login.js";
export { withFileLock } from "./files/lease-lock.js";
export type { FileLockOptions } from "./files/lease-lock.js";
export { fileStore } from "./files/file-store.js";
export { loginWithLoopback } from "./loopback/login-with-loopback.js";
export type { LoopbackLoginOptions } from "./loopback/login-with-loopback.js";
