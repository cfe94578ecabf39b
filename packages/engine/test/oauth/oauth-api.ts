import { afterEach, beforeAll } from "vitest";
import type { DefaultResources } from "../../src/server/stored-server.js";
import type { ConsentOptions } from "../../src/control/oauth-control.js";
import type { EngineRequest } from "../../src/values/message.js";
import { cliClient, sampleClient } from "../../src/oauth/default-clients.js";
import type { Store } from "../../src/store/store.js";
import {
  type EngineUnderTest,
  type EngineUnderTestOptions,
  openEngine,
} from "../server/engine-under-test.js";

/** Verifier and challenge of RFC 7636, appendix B. */
export const verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
export const challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";

export const cli = { client: cliClient.id, redirectUri: "http://127.0.0.1:51234/callback" };
export const web = {
  client: sampleClient.id,
  redirectUri: sampleClient.redirectUris[0],
  secret: sampleClient.secret,
};

/** Parameters of a valid authorization request of the command line's client. */
export const goodRequest = {
  response_type: "code",
  client_id: cli.client,
  redirect_uri: cli.redirectUri,
  state: "af0ifjsldkj",
  code_challenge: challenge,
  code_challenge_method: "S256",
};

export type Form = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Parameters of a query or form. An array repeats its parameter; undefined omits it. */
export const encode = (form: Form): string =>
  Object.entries(form)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().map((each) => [name, each] as const),
    )
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .join("&");

export const basic = (id: string, secret: string): Record<string, string> => ({
  authorization: `Basic ${btoa(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`)}`,
});

export interface Answered {
  status: number;
  headers: Record<string, string>;
  text: string;
  /** Members of a JSON body. */
  json: Record<string, unknown>;
  /** Parameters of the redirect. */
  location: URLSearchParams;
  /** The redirect without its parameters. */
  redirectedTo: string | undefined;
  /** OAuth error code of body or redirect. */
  error: string | undefined;
}

export interface TokenPair {
  accessToken: string;
  refreshToken: string;
}

/** A server with a frozen clock, called without a network. */
export class OAuthApi {
  readonly defects: unknown[] = [];
  #opened: { readonly engine: EngineUnderTest; readonly defaults: DefaultResources } | undefined;

  /** @param openWith default: `openEngine`. */
  static async open(options: EngineUnderTestOptions = {}, openWith = openEngine): Promise<OAuthApi> {
    const api = new OAuthApi();
    await api.start(options, openWith);
    return api;
  }

  async start(options: EngineUnderTestOptions = {}, openWith = openEngine): Promise<void> {
    const engine = await openWith({
      deterministic: "oauth",
      validateResponses: true,
      onDefect: (error) => this.defects.push(error),
      ...options,
    });
    this.#opened = { engine, defaults: await engine.readDefaults() };
  }

  get engine(): EngineUnderTest {
    return this.#server.engine;
  }

  /** The rows that the server started with. */
  get defaults(): DefaultResources {
    return this.#server.defaults;
  }

  get #server(): { readonly engine: EngineUnderTest; readonly defaults: DefaultResources } {
    if (!this.#opened) throw new Error("The server has not started");
    return this.#opened;
  }

  store(): Promise<Store> {
    return this.engine.readStore();
  }

  get issuer(): string {
    return this.engine.settings.authUrl;
  }

  async send(request: EngineRequest): Promise<Answered> {
    const { status, headers, body = "" } = await this.engine.handle(request);
    const isJson = headers["content-type"] === "application/json";
    // A body of the authorization server is an object.
    const json = (isJson && body !== "" ? JSON.parse(body) : {}) as Record<string, unknown>;
    const target = headers["location"];
    const location = new URL(target ?? "none:").searchParams;
    const error = location.get("error") ?? (typeof json["error"] === "string" ? json["error"] : undefined);
    return { status, headers, text: body, json, location, redirectedTo: target?.split("?", 1)[0], error };
  }

  authorize(parameters: Form | string, headers: Record<string, string> = {}): Promise<Answered> {
    const query = typeof parameters === "string" ? parameters : encode(parameters);
    return this.send({ method: "GET", path: `/authorize?${query}`, headers });
  }

  post(path: string, form: Form | string, headers: Record<string, string> = {}): Promise<Answered> {
    return this.send({
      method: "POST",
      path,
      headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
      body: typeof form === "string" ? form : encode(form),
    });
  }

  token(form: Form | string, headers?: Record<string, string>): Promise<Answered> {
    return this.post("/token", form, headers);
  }

  revoke(form: Form | string, headers?: Record<string, string>): Promise<Answered> {
    return this.post("/revoke", form, headers);
  }

  /** Returns a code that the first user granted to the command line. */
  async code(options: ConsentOptions = {}): Promise<string> {
    const { code } = await this.engine.oauth.consent({
      ...cli,
      codeChallenge: challenge,
      scope: "workspace:admin offline_access",
      ...options,
    });
    return code;
  }

  redeem(code: string, changes: Form = {}): Promise<Answered> {
    return this.token({
      grant_type: "authorization_code",
      client_id: cli.client,
      redirect_uri: cli.redirectUri,
      code_verifier: verifier,
      code,
      ...changes,
    });
  }

  refresh(token: string, changes: Form = {}): Promise<Answered> {
    return this.token({
      grant_type: "refresh_token",
      client_id: cli.client,
      refresh_token: token,
      ...changes,
    });
  }

  /** Logs in as the command line. */
  async login(options: ConsentOptions = {}): Promise<TokenPair> {
    return pairOf(await this.redeem(await this.code(options)));
  }

  /** Returns the status of an API request with this access token. */
  async reach(accessToken: string): Promise<number> {
    const headers = { authorization: `Bearer ${accessToken}` };
    return (await this.engine.handle({ method: "GET", path: "/v1/me", headers })).status;
  }
}

/** Returns a server that the tests of a `describe` share, and that each of them finds as it was. */
export const useOAuthApi = (): OAuthApi => {
  const api = new OAuthApi();
  beforeAll(() => api.start());
  afterEach(() => api.engine.reset());
  return api;
};

/** Returns the tokens of a successful response. Throws if it is an error or has no refresh token. */
export const pairOf = ({ status, json, text }: Answered): TokenPair => {
  const { access_token: accessToken, refresh_token: refreshToken } = json;
  if (status !== 200 || typeof accessToken !== "string" || typeof refreshToken !== "string") {
    throw new Error(`No pair of tokens: ${String(status)} ${text}`);
  }
  return { accessToken, refreshToken };
};
