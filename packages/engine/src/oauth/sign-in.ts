import type { Endpoint } from "../context/endpoint.js";
import type { Settings } from "../values/settings.js";
import type { AccessTokenService } from "./access-token-service.js";
import { createApprovalPageFinder, createCommandPageFinder } from "./approval-endpoint.js";
import { createOAuthEndpoints } from "./oauth-server.js";
import { CsrfProtection, generateCookieValue } from "./csrf-protection.js";
import { SignInGate } from "./sign-in-gate.js";
import type { SigningKeys } from "./signing-keys.js";

/** How users sign in, and the pages that they see. */
export interface SignIn {
  /** Returns the endpoints of the authorization server by path. */
  createEndpoints(parts: {
    readonly keys: SigningKeys;
    readonly accessTokenService: AccessTokenService;
    readonly formKey: string;
    readonly settings: Settings;
    readonly onDefect: (error: unknown) => void;
  }): ReadonlyMap<string, Endpoint>;
  /** Returns the endpoint of the page that shows an approval; undefined for other paths. */
  findApprovalPage(method: string, path: string): Endpoint | undefined;
}

/**
 * Returns pages on which every user who can reach them can sign in, for development.
 *
 * @param signInKey text that a browser must send once. Default: none.
 */
export const createOpenSignIn = (signInKey: string | undefined, authUrl: string): SignIn => {
  const signInGate = signInKey === undefined ? undefined : new SignInGate(signInKey, authUrl);
  return {
    createEndpoints: ({ keys, accessTokenService, formKey, settings, onDefect }) => {
      const csrfProtection = new CsrfProtection(formKey, settings.authUrl, generateCookieValue);
      return createOAuthEndpoints({ keys, accessTokenService, csrfProtection, signInGate, onDefect });
    },
    findApprovalPage: createApprovalPageFinder(signInGate),
  };
};

/**
 * There is no sign-in: an operator issues all tokens, and decides approvals with a command.
 *
 * @param formatApprovalText returns the text that explains how to decide the approval with an id.
 */
export const createOperatorSignIn = (formatApprovalText: (approvalId: string) => string): SignIn => ({
  createEndpoints: () => new Map(),
  findApprovalPage: createCommandPageFinder(formatApprovalText),
});
