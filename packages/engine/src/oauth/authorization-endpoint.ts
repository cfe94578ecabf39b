import type { EngineRequest, Outcome } from "../values/message.js";
import type { EndpointContext } from "../context/endpoint.js";
import type { RuleContext } from "../context/rule-context.js";
import type { Access } from "../store/storage-adapter.js";
import type { UserRow } from "../store/rows.js";
import { Missing } from "../store/preload.js";
import {
  type AuthorizationRequest,
  type RedirectTarget,
  readAuthorizationRequest,
  readTarget,
  responseLocation,
} from "./authorization-request.js";
import { grantConsent } from "./consents.js";
import { readForm } from "./form-body.js";
import { destinationOf, formActionOf } from "./redirect-uris.js";
import { OAuthError, oauthErrors, refusalOr } from "./oauth-error.js";
import type { PageGuard } from "./page-guard.js";
import { pageResponse, refusals } from "./page-response.js";
import { consentPage } from "./page/consent-page.js";
import type { FormParts } from "./page/form.js";
import { fragmentScriptSource } from "./page/fragment-script.js";
import { signInPage } from "./page/sign-in-page.js";
import type { SignInGate } from "./sign-in-gate.js";
import { readParameters } from "./parameters.js";
import { oauthPaths } from "./metadata.js";
import { redirectResponse } from "./responses.js";

/**
 * Implements the authorization endpoint: asks the user to choose an account and a workspace, and redirects
 * the browser to the client with a code or an error. No state is stored between the pages, because the URL of
 * each page contains the whole authorization request. See
 * https://www.rfc-editor.org/rfc/rfc6749#section-4.1.1.
 */
export class AuthorizationEndpoint {
  constructor(
    private readonly guard: PageGuard,
    private readonly gate: SignInGate | undefined,
    private readonly onDefect: (error: unknown) => void,
  ) {}

  respond(server: EndpointContext, request: EngineRequest, search: string): Outcome | Promise<Outcome> {
    const access: Access = { mode: request.method === "POST" ? "write" : "read", locks: locksOf(request) };
    return server.transact(access, (context) => this.#respond(context, request, search));
  }

  #respond(context: RuleContext, request: EngineRequest, search: string): Outcome {
    if (this.guard.isForeign(request)) return pageResponse(refusals.foreign());
    const parameters = refusalOr(() => readParameters(search));
    if (parameters instanceof OAuthError) return pageResponse(refusals.request(parameters));
    const target = refusalOr(() => readTarget(context.store, parameters));
    if (target instanceof OAuthError) return pageResponse(refusals.request(target));
    const signIn = request.offLoopback ? undefined : this.gate?.check(request, addressOf(search));
    if (signIn) return signIn;
    const authorization = refusalOr(() => readAuthorizationRequest(parameters, target));
    if (authorization instanceof OAuthError)
      return this.#redirectFrom(request, context, target, authorization);
    if (request.offLoopback) return pageResponse(refusals.offLoopback());
    try {
      if (request.method === "POST") return this.#decide(context, request, search, authorization);
      const users = context.store.users.list({});
      return this.#show(
        request,
        search,
        authorization,
        (parts) => signInPage(parts, users, this.gate !== undefined),
        this.gate && fragmentScriptSource,
      );
    } catch (error) {
      if (error instanceof Missing) throw error;
      // The client would not see a status of 500, so the redirect reports the error. See
      // https://www.rfc-editor.org/rfc/rfc6749#section-4.1.2.1.
      this.onDefect(error);
      return this.#redirectFrom(request, context, authorization, oauthErrors.serverError());
    }
  }

  /**
   * A browser keeps the fragment of an address that redirects without one, and it may hold the sign-in key. See
   * https://www.rfc-editor.org/rfc/rfc9700#section-4.1.3.
   */
  #redirectFrom(
    request: EngineRequest,
    context: RuleContext,
    target: RedirectTarget,
    error: OAuthError,
  ): Outcome {
    const outcome = redirect(context, target, error);
    if (!this.gate || request.method !== "GET") return outcome;
    return {
      ...outcome,
      headers: { ...outcome.headers, location: `${outcome.headers?.["location"] ?? ""}#_` },
    };
  }

  #decide(
    context: RuleContext,
    request: EngineRequest,
    search: string,
    authorization: AuthorizationRequest,
  ): Outcome {
    const { users, workspaces } = context.store;
    const retry = addressOf(search);
    const form = refusalOr(() => readForm(request));
    if (form instanceof OAuthError) return pageResponse(refusals.form(form.status, retry));
    if (!this.guard.isOwnForm(request, search, form.get("csrf"))) {
      return pageResponse(refusals.stale(retry));
    }
    const decision = form.get("decision");
    if (decision === "deny") return redirect(context, authorization, oauthErrors.denied());

    const user = users.get(form.get("user") ?? "");
    if (user && decision === undefined) return this.#ask(context, request, search, authorization, user);
    const workspace = workspaces.get(form.get("workspace") ?? "");
    if (!user || decision !== "allow" || !workspace?.memberIds.includes(user.id)) {
      return pageResponse(refusals.form(400, retry));
    }
    const code = grantConsent(context, authorization, { userId: user.id, workspaceId: workspace.id });
    return redirect(context, authorization, { code });
  }

  #ask(
    context: RuleContext,
    request: EngineRequest,
    search: string,
    authorization: AuthorizationRequest,
    user: UserRow,
  ): Outcome {
    const workspaces = context.store.workspaces.list({ memberIds: user.id });
    const { scopes, redirectUri } = authorization;
    const destination = destinationOf(redirectUri);
    return this.#show(request, search, authorization, (parts) =>
      consentPage({ ...parts, user, workspaces, scopes, destination }),
    );
  }

  #show(
    request: EngineRequest,
    search: string,
    { client, redirectUri }: AuthorizationRequest,
    render: (parts: FormParts) => string,
    script?: string,
  ): Outcome {
    const { token, setCookie } = this.guard.issue(request, search);
    const text = render({ action: addressOf(search), token, clientName: client.name });
    const formAction = formActionOf(redirectUri);
    const response = pageResponse({ status: 200, text, formAction, ...(script !== undefined && { script }) });
    return { ...response, headers: { ...response.headers, "set-cookie": setCookie } };
  }
}

const redirect = (
  { settings }: RuleContext,
  target: RedirectTarget,
  result: { code: string } | OAuthError,
): Outcome => {
  const errorCode = result instanceof OAuthError ? result.code : null;
  return redirectResponse(responseLocation(target, settings.authUrl, result), errorCode);
};

/** A consent changes the integrations of the workspace that the form names. */
const locksOf = (request: EngineRequest): string[] => {
  if (request.method !== "POST") return [];
  const form = refusalOr(() => readForm(request));
  const workspaceId = form instanceof OAuthError ? undefined : form.get("workspace");
  return workspaceId === undefined ? [] : [workspaceId];
};

const addressOf = (search: string): string => `${oauthPaths.authorize}?${search}`;
