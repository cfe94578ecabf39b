import type { nodeTransport } from "@mgmt/sdk/node";

/** The parts of the SDK that commands use, so that the build puts only these into one chunk. */
export {
  ApiError,
  ConnectionError,
  connectionString,
  createClient,
  InvalidArgumentError,
  InvalidResponseError,
  isUnsent,
  MgmtError,
  TokenError,
} from "@mgmt/sdk";
export { isLoopbackHostname, nodeTransport, ProxyError } from "@mgmt/sdk/node";

/** Sends requests. */
export type Transport = Pick<ReturnType<typeof nodeTransport>, "send">;
