export type { BareClient } from "./bare-client.js";
export type { ResourceClass } from "./methods/core.js";
export * from "./resources/generated/resources.js";
export { createPartialClient } from "./partial-client.js";
export type { PartialClient } from "./partial-client.js";
export type { ClientOptions } from "./request/client-options.js";
export { safely } from "./methods/safe.js";
export type { Result, ResultWithResponse, Safe, SafePromise } from "./methods/safe.js";
// The exports that the methods of resources use.
export type * from "./index.js";
