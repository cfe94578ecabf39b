export { ResponseTooLargeError } from "./errors/response-too-large-error.js";
export { isLoopbackHostname } from "./transport/loopback.js";
export { nodeTransport } from "./transport/node-transport.js";
export type { NodeTransport, NodeTransportOptions } from "./transport/node-transport.js";
export { redactBody, redactHeaders, redactUrl, secretsIn } from "./debug/redact.js";
export { proxyFor } from "./transport/node-agent.js";
