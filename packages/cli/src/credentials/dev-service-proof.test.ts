import { createHmac } from "node:crypto";
import { chmodSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as httpRequest, type Server } from "node:http";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { nodeTransport, TokenError } from "../sdk/sdk.js";
import { requireServiceProof } from "./dev-service-proof.js";
import type { Result } from "../../test/result.js";
import { type Account, startAccount } from "../../test/commands/auth/account.js";

let account: Account;
let secretFile: string;
let squatter: Squatter | undefined;
beforeEach(async () => {
  account = await startAccount();
  secretFile = join(dirname(account.file), "control-secret");
  writeFileSync(secretFile, "control-secret-of-the-test", { mode: 0o600 });
});
afterEach(async () => {
  await squatter?.close();
  squatter = undefined;
  await account.close();
});

/** Stores the profile that `mgmt dev` would register, with a token, and a login in another profile. */
const register = async (): Promise<void> => {
  const { baseUrl } = account.server;
  const token = await account.server.engine.tokens.service();
  await account.login("--profile", "user");
  account.store(({ profiles }) => {
    const service = {
      baseUrl,
      authUrl: baseUrl,
      controlUrl: `${baseUrl}/_control`,
      controlSecretFile: secretFile,
    };
    profiles["local"] = { ...service, token };
    profiles["user"] = { ...profiles["user"], ...service };
    const { login } = profiles["user"];
    // The next command has to refresh it.
    if (login) login.expiresAt = Date.now() - 1_000;
  });
};

interface Squatter {
  /** Everything that it has received: method, URL, headers and body. */
  received: string[];
  close(): Promise<void>;
}

/** Listens on the port of the service that has ended. Gives every request to `relayTo` if it is set. */
const squat = async (port: number, relayTo?: string): Promise<Squatter> => {
  const received: string[] = [];
  const server: Server = createServer(async (request, response) => {
    const { method = "", url = "", headers } = request;
    let body = "";
    for await (const chunk of request) body += String(chunk);
    received.push(JSON.stringify({ method, url, headers, body }));
    if (relayTo === undefined) {
      response.setHeader("content-type", "application/json");
      response.end(
        JSON.stringify({ data: [], proof: "A".repeat(43), pagination: { hasMore: false, nextCursor: null } }),
      );
      return;
    }
    const { host } = new URL(relayTo);
    httpRequest(`${relayTo}${url}`, { method, headers: { ...headers, host } }, (answer) => {
      response.writeHead(answer.statusCode ?? 500, answer.headers);
      answer.pipe(response);
    }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { received, close };
};

/** A service that proves that it knows the secret until it has responded to a request, and then no longer. */
const changeHands = async (
  responses: readonly { status: number; body: object }[],
  port = 0,
): Promise<Squatter & { baseUrl: string }> => {
  const left = [...responses];
  const received: string[] = [];
  let baseUrl = "";
  const server = createServer((request, response) => {
    const { url = "", headers } = request;
    const isOwn = left.length > 0;
    if (!isOwn) received.push(JSON.stringify({ url, headers }));
    const [path, query] = url.split("?");
    response.setHeader("content-type", "application/json");
    // Nobody can take over a connection.
    response.setHeader("connection", "close");
    if (path === "/_control/proof") {
      const nonce = new URLSearchParams(query).get("nonce") ?? "";
      const key = isOwn ? "control-secret-of-the-test" : "guess";
      const hmac = createHmac("sha256", key).update(`mgmt control proof\n${baseUrl}\n${nonce}`);
      response.end(JSON.stringify({ proof: hmac.digest("base64url") }));
      return;
    }
    const { status, body } = left.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { "retry-after": "0" }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port");
  baseUrl = `http://127.0.0.1:${String(address.port)}`;
  const close = async (): Promise<void> => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  return { baseUrl, received, close };
};

const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port);

const lines = [
  "projects list --profile local",
  "api /v1/projects --profile local",
  "whoami --profile local",
  "auth token --profile local",
  "projects list --profile user",
  "auth token --profile user",
  "databases list --profile user",
  "dev approvals list --profile local",
  "login --profile local --with-token",
  "login --profile user --no-browser",
];

const run = (line: string): Promise<Result> =>
  account.run(`${line} -o json`.split(" "), { stdin: "canary-of-another-token\n" });

describe("a profile of a mgmt dev that has ended", () => {
  it.each(lines)("sends no credential to the program that listens on its port: %s", async (line) => {
    await register();
    const { baseUrl } = account.server;
    await account.server.close(0);
    squatter = await squat(portOf(baseUrl));
    const { status, stdout, stderr } = await run(line);
    expect({ status, stdout, stderr }).toEqual({
      status: 9,
      stdout: "",
      stderr: expect.stringContaining("dev:not_running"),
    });
    for (const each of squatter.received) {
      expect(JSON.parse(each)).toMatchObject({
        method: "GET",
        url: expect.stringMatching(/^\/_control\/proof\?nonce=[\w-]{32}$/),
        body: "",
      });
      expect(each).not.toMatch(/authorization|bearer|cookie|secret|canary/i);
    }
  });

  it.each([
    ["repeats a request", { status: 503, body: {} }],
    ["reads pages", { status: 200, body: { data: [], pagination: { hasMore: true, nextCursor: "next" } } }],
  ])("sends no credential to the next owner of the port while a command %s", async (_, first) => {
    const owner = await changeHands([first]);
    squatter = owner;
    const { baseUrl, received } = owner;
    account.store(({ profiles }) => {
      const service = { baseUrl, authUrl: baseUrl, controlUrl: `${baseUrl}/_control` };
      profiles["local"] = { ...service, controlSecretFile: secretFile, token: "canary-token" };
    });
    const { status, stderr } = await run("projects list --all --profile local");
    expect({ status, stderr }).toEqual({ status: 9, stderr: expect.stringContaining("dev:not_running") });
    // Only the request for another proof.
    expect(received).toHaveLength(1);
    expect(received[0]).not.toMatch(/authorization|canary/i);
  });

  it("says that the command waits for a service that does not respond", async () => {
    await register();
    const port = portOf(account.server.baseUrl);
    await account.server.close(0);
    const slow = createServer((_, response) => void setTimeout(() => response.end("{}"), 100));
    await new Promise<void>((resolve) => slow.listen(port, "127.0.0.1", resolve));
    const { status, stderr } = await account.run(["projects", "list", "--profile", "local"], {
      slowRequestMs: 20,
    });
    slow.close();
    expect(status).toBe(9);
    expect(stderr).toMatch(`Still waiting for a response from 127.0.0.1:${String(port)}.`);
  });

  it("is left at once by Ctrl-C while the service does not respond", async () => {
    await register();
    const port = portOf(account.server.baseUrl);
    await account.server.close(0);
    let interrupt: () => void = () => undefined;
    const interrupted = new Promise<void>((resolve) => (interrupt = resolve));
    const silent = createServer(() => interrupt());
    await new Promise<void>((resolve) => silent.listen(port, "127.0.0.1", resolve));
    const { status, stdout, stderr } = await account.run(["auth", "token", "--profile", "local"], {
      interrupt: interrupted,
    });
    silent.closeAllConnections();
    silent.close();
    expect([status, stdout]).toEqual([130, ""]);
    expect(stderr).not.toContain("dev:not_running");
  });

  it("fails as other services do while nothing listens, so that a command continues after a restart", async () => {
    await register();
    const { baseUrl } = account.server;
    const request = { method: "GET", url: `${baseUrl}/v1/projects`, headers: {}, body: undefined };
    const { signal } = new AbortController();
    const profile = { baseUrl, controlUrl: `${baseUrl}/_control`, controlSecretFile: secretFile };
    const transport = requireServiceProof(nodeTransport(), { name: "local", profile }, { signal });
    await account.server.close(0);
    await expect(transport.send({ ...request, signal })).rejects.toMatchObject({ code: "ECONNREFUSED" });
    const owner = await changeHands([{ status: 200, body: { data: [] } }], portOf(baseUrl));
    squatter = owner;
    expect(await transport.send({ ...request, signal })).toMatchObject({ status: 200 });
    await expect(transport.send({ ...request, signal })).rejects.toThrow(TokenError);
  });

  it("sends no refresh token when it logs out, and removes the login", async () => {
    await register();
    const { baseUrl } = account.server;
    await account.server.close(0);
    squatter = await squat(portOf(baseUrl));
    const { status, stderr } = await run("logout --profile user");
    expect({ status, stderr }).toEqual({ status: 9, stderr: expect.stringContaining("dev:not_running") });
    expect(account.stored().profiles["user"]?.login).toBeUndefined();
    expect(squatter.received).toHaveLength(1);
    expect(squatter.received[0]).not.toMatch(/refresh|bearer/i);
  });

  it("is not trusted because its port relays requests to a running mgmt dev on another port", async () => {
    await register();
    const { baseUrl } = account.server;
    const port = portOf(baseUrl);
    // The service runs on another port now; the profile still names the old one.
    await account.server.close(0);
    const moved = await startAccount();
    try {
      squatter = await squat(port, moved.server.baseUrl);
      const direct = await fetch(`${moved.server.baseUrl}/_control/proof?nonce=${"a".repeat(32)}`);
      expect(await direct.json()).toEqual({ proof: expect.stringMatching(/^[\w-]{43}$/) });
      const { status, stderr } = await run("projects list --profile local");
      expect({ status, stderr }).toEqual({ status: 9, stderr: expect.stringContaining("dev:not_running") });
      expect(squatter.received.join()).not.toMatch(/bearer/i);
    } finally {
      await moved.close();
    }
  });
});

describe("a profile of a running mgmt dev", () => {
  it.each(lines.slice(0, 8))(
    "is used once the service has proved that it knows the secret: %s",
    async (line) => {
      await register();
      expect(await run(line)).toMatchObject({ status: 0 });
    },
  );

  it.skipIf(process.platform === "win32").each([
    ["is missing", () => rmSync(secretFile)],
    ["belongs to another start", () => writeFileSync(secretFile, "secret-of-an-earlier-start")],
    ["can be read by others", () => chmodSync(secretFile, 0o644)],
    ["is larger than a secret", () => writeFileSync(secretFile, "control-secret-of-the-test".padEnd(1_025))],
  ])("is refused if its secret file %s", async (_, change) => {
    await register();
    change();
    const result = await run("projects list --profile local");
    expect(result).toMatchObject({ status: 9, stderr: expect.stringContaining("dev:not_running") });
  });
});
