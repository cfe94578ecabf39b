import { readFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { describeNetworkProblem } from "./network-problem.js";
import { startAccount } from "../../test/commands/auth/account.js";
import { ensureBuilt } from "../../test/bin.js";
import { noConfigDir, temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import { caFile, type ProxiedService, startProxiedService } from "../../test/proxied-service.js";
import { type Result, run, useSession } from "../../test/terminal.js";

const certificates = new URL("../../../sdk/test/certificates/", import.meta.url);
const file = (name: string): string => readFileSync(new URL(name, certificates), "utf8");

const servers: Server[] = [];
const listen = async (server: Server): Promise<string> => {
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A listening TCP server has an address of this form.
  return String((server.address() as AddressInfo).port);
};

/** Starts a TLS server with a certificate, and returns its address. */
const startTls = async (certificate: string): Promise<string> => {
  const server = createServer({ key: file("loopback.key"), cert: file(certificate) }, (_, response) => {
    response.end("{}");
  });
  return `https://localhost:${await listen(server)}`;
};

/** Starts a proxy that responds with a status to everything. */
const startProxy = async (status: number): Promise<string> => {
  const server = createHttpServer((_, response) => response.writeHead(status).end());
  server.on("connect", (_, socket) => socket.end(`HTTP/1.1 ${String(status)} Refused\r\n\r\n`));
  return `http://user:CANARY@127.0.0.1:${await listen(server)}`;
};

const session = useSession();
let service: ProxiedService;
beforeAll(async () => {
  await ensureBuilt();
  service = await startProxiedService(session.server.baseUrl);
});
afterAll(() => {
  for (const server of servers) server.close();
  service.close();
});

/** Runs the built command, whose process trusts the certificates of NODE_EXTRA_CA_CERTS, and returns its error. */
const failure = async (line: string, env: NodeJS.ProcessEnv): Promise<unknown> => {
  const { status, stdout, stderr, errors } = await run([...line.split(" "), "-o", "json"], {
    env: { MGMT_TOKEN: "token", ...env },
  });
  expect(stderr).not.toContain("CANARY");
  expect({ status, stdout }).toEqual({ status: 9, stdout: "" });
  return errors.at(-1);
};

const problem = (code: string, message: RegExp, hint: RegExp) => ({
  error: {
    code,
    message: expect.stringMatching(message),
    hint: expect.stringMatching(hint),
    next: [expect.arrayContaining(["mgmt", "doctor"]), expect.any(Array)],
  },
});

describe("an https: address", () => {
  it.each(["projects list", "projects create shop"])(
    "whose certificate is self-signed: names NODE_EXTRA_CA_CERTS (mgmt %s)",
    async (line) => {
      const error = await failure(line, { MGMT_BASE_URL: await startTls("loopback.crt") });
      const message = /^The certificate of localhost is not trusted: it is self-signed \(DEPTH_ZERO_\w+\)$/;
      expect(error).toEqual(
        problem("tls:untrusted_certificate", message, /set NODE_EXTRA_CA_CERTS to a file/),
      );
    },
  );

  it("says the same of an authorization server", async () => {
    const error = await failure(`login --no-browser --base-url ${await startTls("loopback.crt")}`, {
      MGMT_CONFIG_DIR: temporaryFolder(),
    });
    expect(error).toMatchObject({ error: { code: "tls:untrusted_certificate" } });
  });

  it("whose authority is unknown", async () => {
    const error = await failure("projects list", { MGMT_BASE_URL: await startTls("issued.crt") });
    const message = /^The certificate of localhost is not trusted: its authority is not known/;
    expect(error).toEqual(problem("tls:untrusted_certificate", message, /NODE_EXTRA_CA_CERTS/));
  });

  it("whose certificate has expired", async () => {
    const NODE_EXTRA_CA_CERTS = fileURLToPath(new URL("expired.crt", certificates));
    const MGMT_BASE_URL = await startTls("expired.crt");
    const error = await failure("projects list", { MGMT_BASE_URL, NODE_EXTRA_CA_CERTS });
    const message = /^The certificate of localhost has expired \(CERT_HAS_EXPIRED\)$/;
    expect(error).toEqual(problem("tls:expired_certificate", message, /clock of this machine.*renew/));
  });

  it("whose certificate is for other hosts", async () => {
    const error = await failure("projects list", {
      MGMT_BASE_URL: "https://other.test",
      HTTPS_PROXY: service.proxyUrl,
      NODE_EXTRA_CA_CERTS: caFile,
    });
    const message = /^The certificate of other\.test is for localhost, api\.test, 127\.0\.0\.1 \(/;
    expect(error).toEqual(
      problem("tls:wrong_host", message, /Use the host name of the certificate in the base URL/),
    );
  });

  it("where a server without TLS listens", async () => {
    const MGMT_BASE_URL = session.server.baseUrl.replace("http:", "https:");
    const error = await failure("projects list", { MGMT_BASE_URL });
    expect(error).toEqual(
      problem("tls:failed", /^127\.0\.0\.1 does not accept a TLS connection/, /http:\/\//),
    );
  });
});

describe("a host without an address", () => {
  it("is named, with what the name server said", async () => {
    const error = await failure("projects list", { MGMT_BASE_URL: "https://nosuch.invalid" });
    // A machine without a network has no name server.
    expect(error).toMatchObject({
      error: { code: expect.stringMatching(/^dns:/), message: expect.stringContaining("nosuch.invalid") },
    });
  });

  it.each([
    ["ENOTFOUND", "dns:not_found", /^The host api\.test does not exist/, /spelling/],
    ["EAI_AGAIN", "dns:unavailable", /api\.test.*name server did not respond/, /connected to the network/],
  ])("is told apart from a name server without a response: %s", (code, expected, message, hint) => {
    const error = Object.assign(new Error("getaddrinfo"), { code });
    expect(describeNetworkProblem(new Error("fetch failed", { cause: error }), "api.test")).toEqual({
      code: expected,
      message: expect.stringMatching(message),
      hint: expect.stringMatching(hint),
    });
  });
});

describe("this machine without a loopback interface", () => {
  const failed = (code: string) =>
    new Error("fetch failed", { cause: Object.assign(new Error("connect"), { code }) });

  it.each([
    ["ENETUNREACH", "127.0.0.1"],
    ["ENETUNREACH", "localhost"],
    ["EADDRNOTAVAIL", "[::1]"],
  ])("is told to turn it on: %s at %s", (code, host) => {
    expect(describeNetworkProblem(failed(code), host)).toEqual({
      code: "network:no_loopback",
      message: expect.stringContaining(`cannot reach itself at ${host}`),
      hint: expect.stringContaining("ip link set lo up"),
    });
  });

  it.each([
    ["ENETUNREACH", "192.0.2.1"],
    ["ENETUNREACH", "127.0.0.1.example.com"],
    ["ECONNREFUSED", "127.0.0.1"],
  ])("is not blamed for %s at %s", (code, host) => {
    expect(describeNetworkProblem(failed(code), host)).toBeUndefined();
  });
});

describe("a proxy", () => {
  const MGMT_BASE_URL = "https://api.test";

  it.each([
    [
      407,
      "proxy:authentication_required",
      /did not accept the user name and password.*407/,
      /USER:PASSWORD@HOST/,
    ],
    [403, "proxy:refused", /refused the connection \(status 403\)/, /NO_PROXY/],
    [502, "proxy:refused", /refused the connection \(status 502\)/, /NO_PROXY/],
  ])("that refuses a tunnel with %i is named without its password", async (status, code, message, hint) => {
    const HTTPS_PROXY = await startProxy(status);
    for (const line of ["projects list", "projects create shop"]) {
      const error = await failure(line, { MGMT_BASE_URL, HTTPS_PROXY });
      expect(error).toEqual(problem(code, message, hint));
      expect(error).toMatchObject({
        error: { message: expect.stringContaining(HTTPS_PROXY.replace("user:CANARY@", "")) },
      });
    }
  });

  it("that requires a password for an http: address is named", async () => {
    const HTTP_PROXY = await startProxy(407);
    const error = await failure("projects list --insecure", { MGMT_BASE_URL: "http://api.test", HTTP_PROXY });
    expect(error).toEqual(problem("proxy:authentication_required", /status 407/, /HTTP_PROXY/));
  });

  it.each(["https://api.test", "http://api.test"])("that cannot be reached is named: %s", async (baseUrl) => {
    const proxy = "http://user:CANARY@127.0.0.1:1";
    const env = { MGMT_BASE_URL: baseUrl, HTTPS_PROXY: proxy, HTTP_PROXY: proxy };
    const error = await failure("projects list --insecure", env);
    const message = /^The proxy http:\/\/127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)$/;
    expect(error).toEqual(problem("proxy:unreachable", message, /Correct HTTPS_PROXY.*NO_PROXY/));
  });

  it("whose host does not exist is named", async () => {
    const env = { MGMT_BASE_URL, HTTPS_PROXY: "http://user:CANARY@proxy.invalid:3128" };
    const error = await failure("projects list", env);
    expect(error).toEqual(
      problem("proxy:unreachable", /proxy\.invalid:3128 is the proxy$/, /Correct HTTPS_PROXY/),
    );
  });
});

describe("a login that cannot be refreshed", () => {
  /** Lists projects with a token that expires in a minute, or when a test says. */
  const list = async (
    authUrl: string,
    format: string,
    env: NodeJS.ProcessEnv = {},
    expiresAt = Date.now() + 60_000,
  ): Promise<Result> => {
    const account = await startAccount();
    try {
      await account.login();
      account.store(({ profiles }) => {
        const { default: profile } = profiles;
        const login = profile?.login;
        if (!profile || !login) throw new Error("There is no login");
        Object.assign(profile, { authUrl });
        const times = { issuedAt: Date.now() - 3_600_000, expiresAt };
        Object.assign(login, { issuer: authUrl, ...times });
      });
      const result = await run(["projects", "list", "-o", format], { env: { ...account.env, ...env } });
      expect(result.stderr).not.toContain("CANARY");
      return result;
    } finally {
      await account.close();
    }
  };

  it.each<[string, () => Promise<[string, NodeJS.ProcessEnv?]>, string, RegExp, RegExp]>([
    [
      "a certificate",
      async () => [await startTls("loopback.crt")],
      "tls:untrusted_certificate",
      /certificate of localhost is not trusted/,
      /NODE_EXTRA_CA_CERTS/,
    ],
    [
      "a proxy",
      async () => ["https://api.test", { HTTPS_PROXY: await startProxy(407) }],
      "proxy:authentication_required",
      /did not accept the user name and password/,
      /USER:PASSWORD@HOST/,
    ],
    ["a host name", () => Promise.resolve(["https://nosuch.invalid"]), "dns:", /nosuch\.invalid/, /network/],
  ])("is reported with the remedy for %s", async (_, start, code, message, hint) => {
    const [authUrl, env] = await start();
    const { status, errors } = await list(authUrl, "json", env);
    expect(status).toBe(0);
    expect(errors).toEqual([
      {
        warning: {
          code: expect.stringContaining(code),
          message: expect.stringMatching(message),
          hint: expect.stringMatching(hint),
        },
      },
    ]);
    expect(errors).toMatchObject([
      { warning: { message: expect.stringMatching(/^The login could not be/) } },
    ]);
  });

  it("is an error with the remedy if its token has expired", async () => {
    const { status, errors } = await list(await startTls("loopback.crt"), "json", {}, Date.now() - 1_000);
    expect(status).toBe(9);
    expect(errors.at(-1)).toMatchObject({ error: { code: "tls:untrusted_certificate" } });
  });

  it("is reported as text", async () => {
    const { stderr } = await list(await startTls("loopback.crt"), "table");
    expect(stderr).toMatch(
      /^warning: The login could not be refreshed: The certificate of localhost .*\nhint: .*NODE_EXTRA_CA_CERTS/m,
    );
  });
});

describe("mgmt doctor", () => {
  it("says the same of a certificate", async () => {
    const MGMT_BASE_URL = await startTls("issued.crt");
    const env = { MGMT_BASE_URL, MGMT_TOKEN: "token", MGMT_CONFIG_DIR: noConfigDir };
    const { stdout } = await runInProcess(["doctor", "-o", "json"], { env });
    expect(JSON.parse(stdout)).toContainEqual(
      expect.objectContaining({
        name: "tls",
        status: "failure",
        message: expect.stringMatching(/^The certificate of localhost is not trusted: its authority/),
        hint: expect.stringContaining("NODE_EXTRA_CA_CERTS"),
      }),
    );
  });
});
