import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { build } from "esbuild";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { programOptions, setupBuilds } from "./build.js";

const { makeFolder } = setupBuilds();

/** Removes all files but its own before its first call, as a deployment does, and prints the error of each call. */
const source = `
  import { readdirSync, renameSync, mkdirSync } from "node:fs";
  import { ApiError, MgmtError, createClient, isApiError } from "@mgmt/sdk";
  import { createAuthenticator, finishLogin, logout, memoryStore, startLogin } from "@mgmt/sdk/auth";
  import { loginWithLoopback } from "@mgmt/sdk/auth/node";
  import { nodeTransport } from "@mgmt/sdk/node";

  const folder = import.meta.dirname;
  mkdirSync(folder + "/gone");
  const chunks = readdirSync(folder).filter((name) => name.startsWith("later-"));
  const move = (from, to) => { for (const name of chunks) renameSync(from + name, to + name); };
  move(folder + "/", folder + "/gone/");

  const responding = (status, body) => async () =>
    new Response(body, { status, headers: { "content-type": "application/json", "x-request-id": "req_1" } });
  const notFound = '{"error":{"issues":[{"code":"x"}],"code":"project:not_found","message":"canary","hint":"Check the id."}}';
  const clientOf = (fetch, options = {}) => createClient({ baseUrl: "https://api.test", token: "t", fetch, ...options });
  const missing = clientOf(responding(404, notFound));
  const oauth = { authUrl: "https://auth.test", clientId: "app", fetch: responding(200, "{}") };
  const expired = () => {
    const store = memoryStore();
    store.write({ issuer: "https://auth.test", clientId: "app", accessToken: "a", refreshToken: "r", scopes: [], expiresAt: 1 });
    return store;
  };
  const attempt = { state: "s", codeVerifier: "v", redirectUri: "https://app.test/", scopes: [] };
  const calls = {
    notFound: () => missing.projects.get("proj_1"),
    safe: () => missing.safe.projects.get("proj_1").then(({ error }) => { throw error; }),
    safeResponse: async () => {
      const { error, response } = await missing.safe.projects.get("proj_1").withResponse();
      throw Object.assign(error, { code: String(response.status) + response.requestId });
    },
    proxyPage: () => clientOf(responding(502, "<html>")).me.get(),
    oddCode: () => clientOf(responding(409, '{"error":{"code":7}}')).me.get(),
    unreadable: () => clientOf(responding(200, "<html>")).me.get(),
    unauthorized: () => clientOf(responding(401, '{"error":{"code":"auth:unauthorized"}}')).me.get(),
    noToken: () => clientOf(undefined, { token: undefined }).me.get(),
    failedToken: () => clientOf(undefined, { token: () => { throw new Error("canary"); } }).me.get(),
    noLogin: () => clientOf(undefined, { token: createAuthenticator({ ...oauth, store: memoryStore() }).token }).me.get(),
    connection: () => clientOf(async () => { throw new Error("down"); }).me.get(),
    wait: () => missing.databases.waitUntilReady("db_1"),
    ensure: () => missing.projects.ensure({ logicalId: "a", name: "a" }),
    debug: () => clientOf(undefined, { debug: () => {} }).me.get(),
    unknownOption: () => missing.me.get({ "time out": 5 }),
    http: () => missing.http.GET("/v1/me"),
    startLogin: () => startLogin({ ...oauth, redirectUri: "https://app.test/" }),
    finishLogin: () => finishLogin({ ...oauth, attempt, callback: "https://app.test/?code=c&state=s" }),
    logout: () => logout({ ...oauth, store: expired() }),
    refresh: () => createAuthenticator({ ...oauth, store: expired() }).token(),
    loopback: () => loginWithLoopback({ ...oauth, open() {} }),
    proxy: () => clientOf(undefined, { transport: nodeTransport({ proxy: "http://127.0.0.1:9" }) }).me.get(),
  };
  const show = (error) => [
    error instanceof MgmtError ? error.code : "not of the SDK: " + error,
    ...(error instanceof ApiError ? [error.status, error.requestId, isApiError(error, error.code)] : []),
    ...(JSON.stringify(error).includes("canary") ? ["canary"] : []),
    ...(/^Reload /.test(error.hint) ? ["reload"] : []),
  ].join(" ");
  const results = {};
  for (const [name, call] of Object.entries(calls)) results[name] = await call().then(() => "no error", show);
  move(folder + "/gone/", folder + "/");
  results.afterwards = await missing.http.GET("/v1/me").then(({ response }) => response.status, show);
  console.log(JSON.stringify(results));
`;

describe("a program whose files were replaced", () => {
  it("gets errors of the SDK from every call, and those of the service with what they mean", async () => {
    const outdir = await makeFolder();
    await build({
      ...programOptions(source),
      platform: "node",
      splitting: true,
      outdir,
      entryNames: "program",
      chunkNames: "later-[hash]",
      outExtension: { ".js": ".mjs" },
    });
    const { stdout } = await promisify(execFile)(process.execPath, [join(outdir, "program.mjs")]);
    expect(JSON.parse(stdout)).toEqual({
      notFound: "project:not_found 404 req_1 true reload",
      safe: "project:not_found 404 req_1 true reload",
      safeResponse: "404req_1 404 req_1 false reload",
      proxyPage: "http:502 502 req_1 true reload",
      oddCode: "http:409 409 req_1 true reload",
      unreadable: "sdk:not_loaded reload",
      unauthorized: "auth:unauthorized 401 req_1 true reload",
      noToken: "sdk:not_loaded reload",
      failedToken: "sdk:not_loaded reload",
      noLogin: "auth:login_required",
      connection: "connection:failed",
      wait: "sdk:not_loaded reload",
      ensure: "sdk:not_loaded reload",
      debug: "sdk:not_loaded reload",
      unknownOption: "argument:invalid",
      http: "sdk:not_loaded reload",
      startLogin: "sdk:not_loaded reload",
      finishLogin: "sdk:not_loaded reload",
      logout: "auth:revoke_failed",
      refresh: "sdk:not_loaded reload",
      loopback: "sdk:not_loaded reload",
      proxy: "sdk:not_loaded reload",
      afterwards: 404,
    });
  });
});
