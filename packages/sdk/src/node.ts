export { ResponseTooLargeError } from "./errors/response-too-large-error.js";
export { isLoopbackHostname } from "./checks/loopback.js";
export { nodeTransport } from "./transport/node-transport.js";
export type { NodeTransport, NodeTransportOptions } from "./transport/node-transport.js";
export {
  redactBody,
  redactHeaders,
  redactUrl,
  findSecrets as secretsIn,
} from "@mgmt/internal/redaction/redact";
export { ProxyError } from "./transport/proxy-error.js";
export { proxyFor } from "./transport/proxy.js";
