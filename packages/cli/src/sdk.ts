/** The part of the SDK that the command uses, so that one chunk holds it and nothing else. */
export {
  ApiError,
  ConnectionError,
  createClient,
  InvalidArgumentError,
  InvalidResponseError,
  MgmtError,
  TimeoutError,
  TokenError,
} from "@mgmt/sdk";
export { nodeTransport } from "@mgmt/sdk/node";
