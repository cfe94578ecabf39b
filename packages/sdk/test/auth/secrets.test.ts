import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { inspect } from "node:util";
import { describe, expect, it } from "vitest";
import {
  AuthError,
  type Credential,
  createAuthenticator,
  finishLogin,
  logout,
  memoryStore,
  startLogin,
} from "@mgmt/sdk/auth";
import { fileStore } from "@mgmt/sdk/auth/node";
import { type Seen, json, thrown } from "../server.js";
import { type Reply, credentialFor, startFaultServer } from "./fault-server.js";
import { contains } from "../secret-forms.js";
import { makeFolder } from "./folders.js";

const code = "canary-code";
const clientSecret = "canary-client-secret";
const accessToken = "canary-access";
const refreshToken = "canary-refresh";
const answered = { access_token: "canary-next-access", refresh_token: "canary-next-refresh" };
/** Form-encoded as in a Basic authentication header, with escaped dashes (RFC 6749, section 2.3.1). */
const basic = btoa(`app:${clientSecret.replaceAll("-", "%2D")}`);
const minted = [code, clientSecret, basic, accessToken, refreshToken, ...Object.values(answered)];

/** Returns everything that a program may print of a value. */
const prints = (value: unknown): string => {
  const parts = [
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    String(value),
    JSON.stringify(value),
  ];
  if (value instanceof Error)
    parts.push(value.stack ?? "", value.cause === undefined ? "" : prints(value.cause));
  return parts.join("\n");
};

const expectClean = (value: unknown, ...more: string[]): void => {
  const text = prints(value);
  expect([...minted, ...more].filter((secret) => contains(text, secret))).toEqual([]);
};

/** Secrets that the client knows, and does not send. */
let unsent: readonly string[] = [];

const spill = ({ body, headers }: Seen): string =>
  [...new URLSearchParams(body).values(), headers.authorization ?? "", ...unsent].join(" ");

/** Responds with an error of OAuth. */
const reject = (response: Parameters<Reply>[0], description: string): void =>
  json(response, 400, { error: "invalid_request", error_description: description });

const percent = (text: string): string =>
  [...text].map((each) => `%${each.charCodeAt(0).toString(16)}`).join("");

const encodings: Readonly<Record<string, (text: string) => string>> = {
  "percent-encoded": percent,
  "percent-encoded twice": (text) => encodeURIComponent(percent(text)),
  "in base64": btoa,
  "in base64url inside a URL": (text) =>
    `https://log.example.com/${btoa(`seen: ${text}`).replace(/=+$/, "")}`,
  "in base64 twice": (text) => btoa(btoa(text)),
  "in percent-encoded base64": (text) => encodeURIComponent(btoa(text)).replaceAll("=", "%3D"),
};

/** Responses that return everything that was sent, and new secrets, wherever a client may read. */
const quoting: [string, (response: Parameters<Reply>[0], request: Seen) => void][] = [
  ["as an error", (response, request) => json(response, 400, { error: spill(request), ...answered })],
  ["as a description", (response, request) => reject(response, spill(request))],
  ...Object.entries(encodings).map(([how, encode]): (typeof quoting)[number] => [
    `as a description, ${how}`,
    (response, { body }) =>
      reject(response, [...new URLSearchParams(body).values()].map(encode).join(" ").slice(0, 300)),
  ]),
  ["in a page", (response, request) => response.writeHead(500).end(`<html>${spill(request)}`)],
  ["in broken JSON", (response) => response.writeHead(200).end(JSON.stringify(answered).slice(0, -2))],
  ["in JSON that lacks a type", (response) => json(response, 200, answered)],
  ["with a strange type", (response) => json(response, 200, { ...answered, token_type: "canary-access" })],
  [
    "in its type of content and its headers",
    (response, request) =>
      response.writeHead(200, { "content-type": "text/html", "x-sent": spill(request) }).end("x"),
  ],
  [
    "in a challenge",
    (response, request) => {
      const challenge = { "www-authenticate": `Basic realm="${spill(request)}"` };
      json(response, 401, { error: "invalid_client" }, challenge);
    },
  ],
  [
    "in a redirect",
    (response, request) => response.writeHead(302, { location: `/?${spill(request)}` }).end(),
  ],
  [
    "in half an answer",
    (response, request) => {
      response.writeHead(200, { "content-length": "9999" });
      response.write(spill(request), () => response.destroy());
    },
  ],
];

describe("a secret of a login", () => {
  it("is found by this check when it is present", () => {
    expect(minted).toHaveLength(7);
    for (const secret of minted) {
      expect(() => expectClean(new Error("x", { cause: { deep: [secret] } }))).toThrow();
      expect(() => expectClean(new AuthError("auth:login_failed", secret, { hint: "" }))).toThrow();
    }
    expect(() => expectClean("verifier", "verifier")).toThrow();
  });

  it.each(quoting)("appears in no error when the server returns it %s", async (_, reply) => {
    const server = await startFaultServer({ token: reply, revoke: reply });
    const reported: unknown[] = [];
    const onBackgroundError = (error: unknown): void => void reported.push(error);
    const oauth = { authUrl: server.baseUrl, clientId: "app", clientSecret };
    const { attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
    unsent = [attempt.state, clientSecret];
    const failed = await thrown(finishLogin({ ...oauth, attempt, callback: { code } }));
    expect(failed).toBeInstanceOf(AuthError);
    expectClean(failed, attempt.codeVerifier, attempt.state);

    unsent = [accessToken, clientSecret];
    for (const secondsLeft of [100, 20, -1]) {
      const store = memoryStore(credentialFor(server, secondsLeft, { accessToken, refreshToken }));
      const auth = createAuthenticator({ ...oauth, store, onBackgroundError });
      if (secondsLeft > 0) await auth.token();
      else expectClean(await thrown(auth.token()));
      expectClean(await thrown(auth.token({ rejected: accessToken })));
      await auth.settled();
      expectClean(auth);
      expectClean(store);
      const leaving = await thrown(logout({ ...oauth, store }).then(() => Promise.reject(new Error("left"))));
      expectClean(leaving);
    }
    expect(reported.length).toBeGreaterThan(1);
    for (const error of reported) expectClean(error);
  });

  it("appears in no error about a callback", async () => {
    const server = await startFaultServer();
    const oauth = { authUrl: server.baseUrl, clientId: "app", clientSecret };
    const { attempt } = await startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" });
    const { state, codeVerifier } = attempt;
    const iss = server.baseUrl;
    const queries: Record<string, string>[] = [
      { code, iss },
      { code, iss, state: `${state}x` },
      { code, state },
      { code, state, iss: "https://canary-code.example.com" },
      { state, iss },
      { state, iss, error: "access_denied", error_description: `It was ${state}` },
      { code, state, iss, response: "canary-code" },
      { code, state, iss, id_token: "canary-code" },
    ];
    for (const query of queries) {
      const callback = `/callback?${new URLSearchParams(query).toString()}`;
      const error = await thrown(finishLogin({ ...oauth, attempt, callback }));
      expect(error).toBeInstanceOf(AuthError);
      expectClean(error, state, codeVerifier);
    }
    const broken = `http://[?code=${code}`;
    expectClean(await thrown(finishLogin({ ...oauth, attempt, callback: broken })));
    expect(server.tokenRequests).toEqual([]);
  });

  it("appears in no error about a file, whatever it contains", async () => {
    const file = join(await makeFolder(), "credentials.json");
    const store = fileStore(file);
    const credential: Credential = credentialFor({ baseUrl: "https://x.test" }, -1, {
      accessToken,
      refreshToken,
    });
    for (const text of [accessToken, `{"accessToken":"${accessToken}"`, JSON.stringify([credential])]) {
      await writeFile(file, text);
      expectClean(await thrown(store.read()));
    }
    await store.write(credential);
    const other = { authUrl: "https://other.example.com", clientId: "app", store };
    expectClean(await thrown(createAuthenticator(other).token()));
    expectClean(await thrown(logout(other)));
    expectClean(store);
  });

  it("appears in no error about options", async () => {
    const oauth = { authUrl: "http://auth.example.com", clientId: "app", clientSecret };
    expectClean(await thrown(startLogin({ ...oauth, redirectUri: "http://127.0.0.1/callback" })));
  });
});
