import type { EngineRequest, PipelineOutcome } from "../values/message.js";
import type { EndpointContext } from "../context/endpoint.js";
import type { OperationContext } from "../context/operation-context.js";
import type { TransactionOptions } from "../store/storage-adapter.js";
import type { UserRow } from "../store/rows.js";
import { MissingRowsError } from "../store/preload.js";
import {
  type AuthorizationRequest,
  type ResponseTarget,
  parseAuthorizationRequest,
  resolveResponseTarget,
  buildResponseLocation,
} from "./authorization-request.js";
import { grantConsent } from "./consents.js";
import { parseForm } from "./form-body.js";
import { formatRedirectDestination, buildFormActionSources } from "./redirect-uris.js";
import { OAuthError, oauthErrors, catchOAuthError } from "./oauth-error.js";
import type { CsrfProtection } from "./csrf-protection.js";
import { createPageResponse, rejectionPages } from "./page-response.js";
import { renderConsentPage } from "./page/consent-page.js";
import type { FormValues } from "./page/form.js";
import { fragmentScriptCspSource } from "./page/fragment-script.js";
import { renderSignInPage } from "./page/sign-in-page.js";
import type { SignInGate } from "./sign-in-gate.js";
import { parseParameters } from "./parameters.js";
import { oauthPaths } from "./metadata.js";
import { createRedirectResponse } from "./responses.js";

/**
 * Implements the authorization endpoint: asks the user to choose an account and a workspace, and redirects
 * the browser to the client with a code or an error. No state is stored between the pages, because the URL of
 * each page contains the whole authorization request. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1.
 */
export class AuthorizationEndpoint {
  constructor(
    private readonly csrfProtection: CsrfProtection,
    private readonly signInGate: SignInGate | undefined,
    private readonly onDefect: (error: unknown) => void,
  ) {}

  respond(
    endpointContext: EndpointContext,
    request: EngineRequest,
    search: string,
  ): PipelineOutcome | Promise<PipelineOutcome> {
    const transactionOptions: TransactionOptions = {
      mode: request.method === "POST" ? "write" : "read",
      locks: listLocks(request),
    };
    return endpointContext.transact(transactionOptions, (context) =>
      this.#respondInTransaction(context, request, search),
    );
  }

  #respondInTransaction(context: OperationContext, request: EngineRequest, search: string): PipelineOutcome {
    if (this.csrfProtection.isCrossOrigin(request)) return createPageResponse(rejectionPages.foreign());
    const parameters = catchOAuthError(() => parseParameters(search));
    if (parameters instanceof OAuthError) return createPageResponse(rejectionPages.request(parameters));
    const target = catchOAuthError(() => resolveResponseTarget(context.store, parameters));
    if (target instanceof OAuthError) return createPageResponse(rejectionPages.request(target));
    const signInResponse = request.offLoopback
      ? undefined
      : this.signInGate?.respondUnlessSignedIn(request, buildAuthorizePath(search));
    if (signInResponse) return signInResponse;
    const authorization = catchOAuthError(() => parseAuthorizationRequest(parameters, target));
    if (authorization instanceof OAuthError)
      return this.#redirectWithoutFragment(request, context, target, authorization);
    if (request.offLoopback) return createPageResponse(rejectionPages.offLoopback());
    try {
      if (request.method === "POST") return this.#handleForm(context, request, search, authorization);
      const users = context.store.users.list({});
      return this.#showForm(
        request,
        search,
        authorization,
        (formValues) => renderSignInPage(formValues, users, this.signInGate !== undefined),
        this.signInGate && fragmentScriptCspSource,
      );
    } catch (error) {
      if (error instanceof MissingRowsError) throw error;
      // The client would not see a status of 500, so the redirect reports the error. See
      // https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1.
      this.onDefect(error);
      return this.#redirectWithoutFragment(request, context, authorization, oauthErrors.serverError());
    }
  }

  /**
   * A browser keeps the fragment of an address that redirects without one, and it may hold the sign-in key. See
   * https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3.
   */
  #redirectWithoutFragment(
    request: EngineRequest,
    context: OperationContext,
    target: ResponseTarget,
    error: OAuthError,
  ): PipelineOutcome {
    const outcome = redirectToClient(context, target, error);
    if (!this.signInGate || request.method !== "GET") return outcome;
    return {
      ...outcome,
      headers: { ...outcome.headers, location: `${outcome.headers?.["location"] ?? ""}#_` },
    };
  }

  #handleForm(
    context: OperationContext,
    request: EngineRequest,
    search: string,
    authorization: AuthorizationRequest,
  ): PipelineOutcome {
    const { users, workspaces } = context.store;
    const retryUrl = buildAuthorizePath(search);
    const form = catchOAuthError(() => parseForm(request));
    if (form instanceof OAuthError) return createPageResponse(rejectionPages.form(form.status, retryUrl));
    if (!this.csrfProtection.isValidCsrfToken(request, search, form.get("csrf"))) {
      return createPageResponse(rejectionPages.stale(retryUrl));
    }
    const decision = form.get("decision");
    if (decision === "deny") return redirectToClient(context, authorization, oauthErrors.accessDenied());

    const user = users.get(form.get("user") ?? "");
    if (user && decision === undefined)
      return this.#showConsentPage(context, request, search, authorization, user);
    const workspace = workspaces.get(form.get("workspace") ?? "");
    if (!user || decision !== "allow" || !workspace?.memberIds.includes(user.id)) {
      return createPageResponse(rejectionPages.form(400, retryUrl));
    }
    const code = grantConsent(context, authorization, { userId: user.id, workspaceId: workspace.id });
    return redirectToClient(context, authorization, { code });
  }

  #showConsentPage(
    context: OperationContext,
    request: EngineRequest,
    search: string,
    authorization: AuthorizationRequest,
    user: UserRow,
  ): PipelineOutcome {
    const workspaces = context.store.workspaces.list({ memberIds: user.id });
    const { scopes, redirectUri } = authorization;
    const destination = formatRedirectDestination(redirectUri);
    return this.#showForm(request, search, authorization, (formValues) =>
      renderConsentPage({ ...formValues, user, workspaces, scopes, destination }),
    );
  }

  #showForm(
    request: EngineRequest,
    search: string,
    { client, redirectUri }: AuthorizationRequest,
    render: (formValues: FormValues) => string,
    scriptCspSource?: string,
  ): PipelineOutcome {
    const { token, setCookie } = this.csrfProtection.issueCsrfToken(request, search);
    const html = render({ action: buildAuthorizePath(search), token, clientName: client.name });
    const formAction = buildFormActionSources(redirectUri);
    const response = createPageResponse({
      status: 200,
      html,
      formAction,
      ...(scriptCspSource !== undefined && { scriptCspSource }),
    });
    return { ...response, headers: { ...response.headers, "set-cookie": setCookie } };
  }
}

const redirectToClient = (
  { settings }: OperationContext,
  target: ResponseTarget,
  codeOrError: { code: string } | OAuthError,
): PipelineOutcome => {
  const errorCode = codeOrError instanceof OAuthError ? codeOrError.code : null;
  return createRedirectResponse(buildResponseLocation(target, settings.authUrl, codeOrError), errorCode);
};

/** Returns the workspaces that a request locks: a consent changes the integrations of the workspace that the form names. */
const listLocks = (request: EngineRequest): string[] => {
  if (request.method !== "POST") return [];
  const form = catchOAuthError(() => parseForm(request));
  const workspaceId = form instanceof OAuthError ? undefined : form.get("workspace");
  return workspaceId === undefined ? [] : [workspaceId];
};

const buildAuthorizePath = (search: string): string => `${oauthPaths.authorize}?${search}`;
