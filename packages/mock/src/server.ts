export type * from "./engine-types.js";
export { type RunningServer, ServedMock, createServer } from "./mocks/served-mock.js";
export {
  RequestError,
  ControlError,
  MemoryServer,
  cliClient,
  defaultSettings,
  operations,
  parseSnapshot,
  sampleClient,
} from "@mgmt/engine";
export type { Server } from "@mgmt/engine";
export type { ServerAddress, ServerOptions } from "@mgmt/engine/http";
export { controlDocument, controlSecretHeader, requestListener } from "@mgmt/engine/http";
