import { type Form, basic, challenge, encode, verifier } from "../oauth-api.js";
import { type ServerUnderTest, closedClient, openClient } from "./authorization-servers.js";

export const goodRequest = {
  response_type: "code",
  client_id: openClient.id,
  redirect_uri: openClient.redirectUri,
  scope: "workspace:admin offline_access",
  state: "af0ifjsldkj",
  code_challenge: challenge,
  code_challenge_method: "S256",
};
const { code_challenge: _challenge, code_challenge_method: _method, ...rest } = goodRequest;
export const withoutPkce = rest;
export const closedRequest = {
  ...withoutPkce,
  client_id: closedClient.id,
  redirect_uri: closedClient.redirectUri,
};
export const closedBasic = basic(closedClient.id, closedClient.secret);

/** The parts of a response that the RFCs define and clients depend on. */
export type Seen = Record<string, unknown>;

export const jsonOf = async (response: Response): Promise<Record<string, unknown>> => {
  const text = await response.text();
  // JSON bodies of both servers are objects.
  return response.headers.get("content-type")?.includes("json")
    ? (JSON.parse(text) as Record<string, unknown>)
    : {};
};

export const sendForm = (
  server: ServerUnderTest,
  path: string,
  form: Form,
  headers: Record<string, string> = {},
) =>
  server.send(path, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded", ...headers },
    body: encode(form),
  });

export const seenOf = async (response: Response): Promise<Seen> => {
  const json = await jsonOf(response);
  return {
    status: response.status,
    error: json["error"],
    noStore: response.headers.get("cache-control")?.includes("no-store"),
    tokenType: json["token_type"],
    hasAccessToken: typeof json["access_token"] === "string",
    hasRefreshToken: typeof json["refresh_token"] === "string",
    hasLife: typeof json["expires_in"] === "number",
    challenges: response.headers.get("www-authenticate")?.split(" ", 1)[0],
  };
};

/** Returns where an authorization request redirects before the user is asked. */
export const authorize = async (server: ServerUnderTest, query: string): Promise<Seen> => {
  const response = await server.send(`/authorize?${query}`);
  const location = new URL(response.headers.get("location") ?? server.issuer, server.issuer);
  const isBack = location.origin !== server.issuer;
  await response.text();
  if (!isBack) return response.status >= 400 ? { shown: response.status } : { asks: true };
  return {
    to: location.origin + location.pathname,
    error: location.searchParams.get("error"),
    state: location.searchParams.get("state"),
    ownIssuer: location.searchParams.get("iss") === server.issuer,
  };
};

export const codeFor = async (server: ServerUnderTest, request: Form): Promise<string> => {
  const location = await server.decide(encode(request), "allow");
  return location.searchParams.get("code") ?? "";
};

export const redeem = async (server: ServerUnderTest, changes: Form = {}): Promise<Response> =>
  sendForm(server, "/token", {
    grant_type: "authorization_code",
    client_id: openClient.id,
    redirect_uri: openClient.redirectUri,
    code_verifier: verifier,
    ...changes,
    code: "code" in changes ? changes["code"] : await codeFor(server, goodRequest),
  });

export const pair = async (server: ServerUnderTest): Promise<string> =>
  String((await jsonOf(await redeem(server)))["refresh_token"]);

export const refresh = (
  server: ServerUnderTest,
  token: string,
  changes: Form = {},
  headers = {},
): Promise<Response> =>
  sendForm(
    server,
    "/token",
    { grant_type: "refresh_token", client_id: openClient.id, refresh_token: token, ...changes },
    headers,
  );
