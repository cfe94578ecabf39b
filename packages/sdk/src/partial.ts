export type { BareClient, ResourceClass } from "./bare-client.js";
export * from "./generated/resources.js";
export { createPartialClient } from "./partial-client.js";
export type { PartialClient } from "./partial-client.js";
export type { ClientOptions } from "./request/client-options.js";
export { safely } from "./safe.js";
export type { Result, Safe } from "./safe.js";
