/** The part of the SDK that logs in and stays logged in, in a chunk of its own: whoever sets `MGMT_TOKEN` never loads it. */
export {
  createAuthenticator,
  finishLogin,
  isCredential,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
export type { Credential, TokenStore } from "@mgmt/sdk/auth";
export { loginWithLoopback, withFileLock } from "@mgmt/sdk/auth/node";
