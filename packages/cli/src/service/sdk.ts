/** The parts of the SDK that commands use, so that the build puts them and nothing else into one chunk. */
export {
  ApiError,
  ConnectionError,
  createClient,
  InvalidArgumentError,
  InvalidResponseError,
  isUnsent,
  MgmtError,
  TokenError,
} from "@mgmt/sdk";
export { isLoopbackHostname, nodeTransport } from "@mgmt/sdk/node";
