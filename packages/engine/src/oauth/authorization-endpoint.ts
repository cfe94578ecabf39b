import type { EngineRequest } from "../request/exchange.js";
import type { UserRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { type OAuthAnswer, redirectAnswer } from "./answer.js";
import {
  type AuthorizationRequest,
  type RedirectTarget,
  answerLocation,
  readAuthorizationRequest,
  readTarget,
} from "./authorization-request.js";
import type { Consents } from "./consents.js";
import { readForm } from "./form-body.js";
import { destinationOf, formActionOf } from "./form-destination.js";
import { OAuthError, oauthErrors, refusalOr } from "./oauth-error.js";
import { pageAnswer, refusals } from "./page-answer.js";
import { PageGuard } from "./page-guard.js";
import { consentPage } from "./page/consent-page.js";
import { type FormParts, signInPage } from "./page/sign-in-page.js";
import { readParameters } from "./parameters.js";
import { oauthPaths } from "./paths.js";

/**
 * `/authorize`: asks who says yes and for which workspace, and sends the browser back with a code or an error (RFC 6749
 * §4.1.1). The pages keep nothing: each has the whole authorization request in its address, where it is read anew.
 */
export class AuthorizationEndpoint {
  readonly #guard: PageGuard;

  constructor(
    private readonly store: Store,
    private readonly consents: Consents,
    private readonly issuer: string,
    private readonly onDefect: (error: unknown) => void,
  ) {
    this.#guard = new PageGuard(issuer);
  }

  answer(request: EngineRequest, search: string): OAuthAnswer {
    if (this.#guard.isForeign(request)) return pageAnswer(refusals.foreign());
    const parameters = refusalOr(() => readParameters(search));
    if (parameters instanceof OAuthError) return pageAnswer(refusals.request(parameters));
    const target = refusalOr(() => readTarget(this.store, parameters));
    if (target instanceof OAuthError) return pageAnswer(refusals.request(target));
    const wanted = refusalOr(() => readAuthorizationRequest(parameters, target));
    if (wanted instanceof OAuthError) return this.#sendBack(target, wanted);
    if (request.offLoopback) return pageAnswer(refusals.offLoopback());
    try {
      if (request.method === "POST") return this.#decide(request, search, wanted);
      const users = this.store.users.list({});
      return this.#show(request, search, wanted, (parts) => signInPage(parts, users));
    } catch (error) {
      // The client is told by the redirect, since no status of ours would reach it (RFC 6749 §4.1.2.1).
      this.onDefect(error);
      return this.#sendBack(wanted, oauthErrors.serverError());
    }
  }

  #decide(request: EngineRequest, search: string, wanted: AuthorizationRequest): OAuthAnswer {
    const retry = addressOf(search);
    const form = refusalOr(() => readForm(request));
    if (form instanceof OAuthError) return pageAnswer(refusals.form(form.status, retry));
    if (!this.#guard.isOwnForm(request, search, form.get("csrf"))) return pageAnswer(refusals.stale(retry));
    const decision = form.get("decision");
    if (decision === "deny") return this.#sendBack(wanted, oauthErrors.denied());

    const user = this.store.users.get(form.get("user") ?? "");
    if (user && decision === undefined) return this.#ask(request, search, wanted, user);
    const workspace = this.store.workspaces.get(form.get("workspace") ?? "");
    if (!user || decision !== "allow" || !workspace?.memberIds.includes(user.id)) {
      return pageAnswer(refusals.form(400, retry));
    }
    const code = this.consents.grant(wanted, { userId: user.id, workspaceId: workspace.id });
    return this.#sendBack(wanted, { code });
  }

  #ask(request: EngineRequest, search: string, wanted: AuthorizationRequest, user: UserRow): OAuthAnswer {
    const workspaces = this.store.workspaces.list({ memberIds: user.id });
    const { scopes, redirectUri } = wanted;
    const destination = destinationOf(redirectUri);
    return this.#show(request, search, wanted, (parts) =>
      consentPage({ ...parts, user, workspaces, scopes, destination }),
    );
  }

  #show(
    request: EngineRequest,
    search: string,
    { client, redirectUri }: AuthorizationRequest,
    print: (parts: FormParts) => string,
  ): OAuthAnswer {
    const { token, setCookie } = this.#guard.issue(request, search);
    const text = print({ action: addressOf(search), token, clientName: client.name });
    const answer = pageAnswer({ status: 200, text, formAction: formActionOf(redirectUri) });
    return { ...answer, headers: { ...answer.headers, "set-cookie": setCookie } };
  }

  #sendBack(target: RedirectTarget, answer: { code: string } | OAuthError): OAuthAnswer {
    const code = answer instanceof OAuthError ? answer.code : null;
    return redirectAnswer(answerLocation(target, this.issuer, answer), code);
  }
}

const addressOf = (search: string): string => `${oauthPaths.authorize}?${search}`;
