import { computeDigest } from "../values/digest.js";
import type { OperationContext } from "../context/operation-context.js";
import type { IntegrationRow } from "../store/rows.js";
import type { AuthorizationRequest } from "./authorization-request.js";
import { knownScopes } from "./scopes.js";

/** The user who consents, and the workspace that the client gets access to. */
export interface ConsentingUser {
  readonly userId: string;
  readonly workspaceId: string;
}

/**
 * Records the consent of a user and returns an authorization code for the client. Only the digest of the code
 * is stored.
 */
export const grantConsent = (
  context: OperationContext,
  request: AuthorizationRequest,
  user: ConsentingUser,
): string => {
  const { store, clock, ids, settings } = context;
  const { client, scopes, redirectUri, hasRedirectUriParameter, codeChallenge } = request;
  const now = clock.now();
  const integration = createOrExtendIntegration(context, request, user);
  const code = ids.generateSecret(43);
  store.authorizationCodes.insert({
    id: computeDigest(code),
    createdAt: now,
    integrationId: integration.id,
    clientId: client.id,
    userId: user.userId,
    workspaceId: user.workspaceId,
    scopes: [...scopes],
    redirectUri: hasRedirectUriParameter ? redirectUri : null,
    codeChallenge,
    expiresAt: now + settings.oauth.code,
    grantId: null,
  });
  return code;
};

/** Creates or extends the integration of a client. A workspace has at most one integration per client. */
const createOrExtendIntegration = (
  { store: { integrations }, clock, ids }: OperationContext,
  { client, scopes }: AuthorizationRequest,
  { userId, workspaceId }: ConsentingUser,
): IntegrationRow => {
  const existingIntegration = integrations.find({ workspaceId, clientId: client.id });
  if (existingIntegration) {
    // Keep the existing scopes: tokens from earlier consents remain valid with the scopes they were issued
    // for.
    const mergedScopes = knownScopes.filter(
      (name) => existingIntegration.scopes.includes(name) || scopes.includes(name),
    );
    return integrations.update(existingIntegration.id, { scopes: mergedScopes });
  }
  return integrations.insert({
    id: ids.generateId("integration"),
    createdAt: clock.now(),
    workspaceId,
    clientId: client.id,
    userId,
    scopes: [...scopes],
  });
};
