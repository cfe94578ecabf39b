/**
 * The parts of the SDK that log in and keep logins fresh, so that the build puts them into a chunk of their own. Commands
 * that run with `MGMT_TOKEN` never load it.
 */
export {
  createAuthenticator,
  finishLogin,
  isCredential as isLogin,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
export type { Credential as Login, TokenStore as LoginStore } from "@mgmt/sdk/auth";
export { loginWithLoopback, withFileLock } from "@mgmt/sdk/auth/node";

/** The public OAuth client that this command is registered as. */
export const oauthClientId = "itgr_mgmtcommandlineinterface";
