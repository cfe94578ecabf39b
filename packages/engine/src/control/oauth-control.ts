import type { CallMode, ModeResult } from "../values/awaitable.js";
import { idPatterns } from "../generated/ids.js";
import { computeDigest } from "../values/digest.js";
import { toCanonicalId, maxIdLength } from "../values/ids.js";
import { assertKnownOptions } from "../values/known-options.js";
import type { OperationContext } from "../context/operation-context.js";
import type { RequestContext } from "../context/request-context.js";
import { runWriteTransaction } from "./run-transaction.js";
import {
  type AuthorizationRequest,
  buildResponseLocation,
  parseAuthorizationRequest,
  resolveResponseTarget,
} from "../oauth/authorization-request.js";
import { findClient } from "../oauth/client-authentication.js";
import { grantConsent } from "../oauth/consents.js";
import { OAuthError, oauthErrors } from "../oauth/oauth-error.js";
import { encodeParameters, parseParameters } from "../oauth/parameters.js";
import { findRegistrationProblem } from "../oauth/redirect-uris.js";
import { cliClient } from "../oauth/default-clients.js";
import type { UserRow } from "../store/rows.js";
import * as controlErrors from "./control-errors.js";
import { DefaultRows, requireUserWorkspace } from "./default-rows.js";
import { readOnlyTransaction } from "../store/storage-adapter.js";
import { InvalidArgumentError } from "../values/invalid-argument-error.js";

/** The properties of an OAuth client to register. */
export interface ClientRegistration {
  /**
   * At least one. Absolute URIs, matched exactly; only a public client's loopback redirect may use any port. See
   * https://www.rfc-editor.org/rfc/rfc8252#section-7.3.
   */
  redirectUris: readonly string[];
  /** Shown to the user. Default: a generated name. */
  name?: string | undefined;
  /** Whether the client has a secret. Default: only when `secret` is given. */
  confidential?: boolean | undefined;
  /** Only for a confidential client. Default: a generated secret. */
  secret?: string | undefined;
  /** Default: a generated id. */
  id?: string | undefined;
}

/** An OAuth client that has been registered. */
export interface RegisteredClient {
  id: string;
  name: string;
  redirectUris: string[];
  /** Available only in this result: the server stores a digest, or null for a public client. */
  secret: string | null;
}

/** A public client: one without a secret. */
export interface PublicClient {
  /** With or without its prefix. */
  id: string;
  /** As in `ClientRegistration`. */
  redirectUris: readonly string[];
}

/** The authorization request of a client, to which a user consents or which a user denies. See https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1. */
export interface AuthorizationRequestOptions {
  /** The complete URL that a client would open in the browser. Replaces the other fields. */
  url?: string | URL | undefined;
  /** Id of the client. Default: the client of the command line. */
  client?: string | undefined;
  /** Required unless the client has exactly one redirect URI. */
  redirectUri?: string | undefined;
  /** Default: `workspace:admin`. */
  scope?: string | undefined;
  state?: string | undefined;
  codeChallenge?: string | undefined;
  /** Default: `S256` when there is a code challenge. */
  codeChallengeMethod?: string | undefined;
}

/** Who consents to an authorization request, and for which workspace. */
export interface ConsentOptions extends AuthorizationRequestOptions {
  /** Id of the user who consents. Default: the first user. */
  user?: string | undefined;
  /** Id of the workspace. Default: the first one that the user is a member of. */
  workspace?: string | undefined;
}

/** Where the browser is redirected after the consent, and the authorization code. */
export interface ConsentResult {
  /** Where the browser would be redirected: the redirect URI with `code`, `state` and `iss`. */
  redirect: string;
  code: string;
}

/**
 * Controls the authorization server without its pages: registers clients, and grants or denies consent, in one call.
 */
export class OAuthControl<Mode extends CallMode> {
  /** @internal */
  constructor(private readonly getRequestContext: () => RequestContext<Mode>) {}

  /**
   * Registers a client.
   *
   * @throws ControlError when the id is taken or not valid, there is no redirect URI or one that is not valid, the secret is empty, or a
   *   public client has one.
   */
  registerClient(registration: ClientRegistration): Promise<RegisteredClient> {
    return runWriteTransaction(this.getRequestContext(), ({ store, ids, clock }) => {
      assertKnownOptions(registration, ["redirectUris", "name", "confidential", "secret", "id"]);
      const { redirectUris, name = ids.generateName() } = registration;
      assertRegistrableUris(redirectUris);
      const { confidential = registration.secret !== undefined } = registration;
      if (!confidential && registration.secret !== undefined) throw controlErrors.publicClientSecret();
      const secret = confidential ? (registration.secret ?? ids.generateSecret(43)) : null;
      if (secret === "") throw controlErrors.emptySecret();
      if (registration.id !== undefined) assertClientId(registration.id);
      const id =
        registration.id === undefined ? ids.generateId("client") : toCanonicalId("client", registration.id);
      if (store.clients.get(id)) throw controlErrors.clientExists(id);
      store.clients.insert({
        id,
        createdAt: clock.now(),
        name,
        redirectUris: [...redirectUris],
        secretHash: secret === null ? null : computeDigest(secret),
      });
      return { id, name, redirectUris: [...redirectUris], secret };
    });
  }

  /**
   * Registers a public client, or replaces the redirect URIs of the public client that has this id. The client is
   * registered again whenever the state is reset or replaced, unless the new state has a confidential client with this id.
   *
   * @throws ControlError when the id or a redirect URI is not valid, or the client is confidential.
   */
  ensurePublicClient({ id, redirectUris }: PublicClient): Promise<RegisteredClient> {
    return runWriteTransaction(this.getRequestContext(), ({ store, clock }) => {
      assertClientId(id);
      assertRegistrableUris(redirectUris);
      const { clients } = store;
      const existingClient = findClient(store, id);
      if (existingClient && existingClient.secretHash !== null) {
        throw controlErrors.clientNotPublic(existingClient.id);
      }
      const canonicalId = toCanonicalId("client", id);
      const clientFields = { redirectUris: [...redirectUris], isEnsured: true };
      const client = existingClient
        ? clients.update(existingClient.id, clientFields)
        : clients.insert({
            id: canonicalId,
            createdAt: clock.now(),
            name: canonicalId,
            secretHash: null,
            ...clientFields,
          });
      return { id: client.id, redirectUris: [...redirectUris], name: client.name, secret: null };
    });
  }

  /**
   * Consents to an authorization request as a user.
   *
   * @throws ControlError when the server would reject the request.
   */
  consent(options: ConsentOptions = {}): Promise<ConsentResult> {
    return runWriteTransaction(this.getRequestContext(), (context) => {
      const request = parseRequestOptions(context, options);
      const user = requireConsentingUser(context, options.user);
      const workspace = requireUserWorkspace(context.store, user, options.workspace);
      const code = grantConsent(context, request, { userId: user.id, workspaceId: workspace.id });
      return { code, redirect: buildResponseLocation(request, context.settings.authUrl, { code }) };
    });
  }

  /**
   * Denies an authorization request. Returns where the browser would be redirected, with `error=access_denied`. The
   * `user` and the `workspace` of a consent have no effect.
   *
   * @throws ControlError when the server would reject the request.
   */
  deny(options: AuthorizationRequestOptions = {}): ModeResult<Mode, { redirect: string }> {
    return this.getRequestContext().transact(readOnlyTransaction, (context) => ({
      redirect: buildResponseLocation(
        parseRequestOptions(context, options),
        context.settings.authUrl,
        oauthErrors.accessDenied(),
      ),
    }));
  }
}

const parseRequestOptions = (
  { store }: OperationContext,
  options: AuthorizationRequestOptions,
): AuthorizationRequest => {
  try {
    const parameters = parseParameters(buildAuthorizationQuery(options));
    return parseAuthorizationRequest(parameters, resolveResponseTarget(store, parameters));
  } catch (error) {
    if (error instanceof OAuthError) throw controlErrors.authorizationRejected(error.code, error.description);
    throw error;
  }
};

const requireConsentingUser = ({ store }: OperationContext, userId: string | undefined): UserRow => {
  if (userId === undefined) return new DefaultRows(() => store).user;
  const user = store.users.get(toCanonicalId("user", userId));
  if (!user) throw controlErrors.notFound("user", userId);
  return user;
};

/** Rejects a client id that no request of the API could contain, for example to delete the integrations of the client. */
const assertClientId = (clientId: string): void => {
  if (idPatterns.client.test(clientId) && clientId.length <= maxIdLength) return;
  throw controlErrors.invalidClientId(clientId);
};

const assertRegistrableUris = (redirectUris: readonly string[]): void => {
  if (!Array.isArray(redirectUris)) throw new InvalidArgumentError("redirectUris must be an array of URIs");
  if (redirectUris.length === 0) throw controlErrors.missingRedirectUri();
  for (const uri of redirectUris) {
    const reason = findRegistrationProblem(uri);
    if (reason !== undefined) throw controlErrors.invalidRedirectUri(uri, reason);
  }
};

const consentOptionNames: Record<keyof ConsentOptions, true> = {
  url: true,
  client: true,
  redirectUri: true,
  scope: true,
  state: true,
  codeChallenge: true,
  codeChallengeMethod: true,
  user: true,
  workspace: true,
};

const buildAuthorizationQuery = (options: AuthorizationRequestOptions): string => {
  assertKnownOptions(options, Object.keys(consentOptionNames));
  if (options.url !== undefined) {
    if (!URL.canParse(options.url)) throw controlErrors.invalidUrl();
    return new URL(options.url).search.slice(1);
  }
  const { client: clientId = cliClient.id, redirectUri, scope, state, codeChallenge } = options;
  const { codeChallengeMethod = codeChallenge === undefined ? undefined : "S256" } = options;
  return encodeParameters({
    response_type: "code",
    client_id: clientId,
    redirect_uri: redirectUri,
    scope,
    state,
    code_challenge: codeChallenge,
    code_challenge_method: codeChallengeMethod,
  });
};
