export { nodeTransport } from "./transport/node-transport.js";
export type { NodeTransport, NodeTransportOptions } from "./transport/node-transport.js";
