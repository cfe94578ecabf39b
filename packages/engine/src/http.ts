export { controlSecretHeader } from "./http/control/control-endpoint.js";
export {
  type RunningServer,
  type ServerAddress,
  type ServerCustomization,
  type ServerOptions,
  createServer,
  requestListener,
} from "./http/http-server.js";
export { isLoopbackHost } from "./http/loopback.js";
export { buildControlDocument as controlDocument } from "./http/control/control-document.js";
export { seedResource } from "./http/control/seed-routes.js";
