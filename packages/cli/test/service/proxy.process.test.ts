import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../bin.js";
import { temporaryFolder } from "../folders.js";
import { caFile, type ProxiedService, startProxiedService } from "../proxied-service.js";
import type { Result } from "../result.js";
import { run, type Session, startSession } from "../terminal.js";

let session: Session;
let service: ProxiedService;
beforeAll(async () => {
  await ensureBuilt();
  session = await startSession();
  service = await startProxiedService(session.server.baseUrl);
});
beforeEach(() => service.asked.splice(0));
afterAll(async () => {
  service.close();
  await session.close();
});

/** Runs the built command against a host that only the proxy knows. */
const runProxied = (line: string, env: NodeJS.ProcessEnv): Promise<Result> =>
  run(line.split(" "), { env: { ...session.env, MGMT_BASE_URL: "https://api.test", ...env } });

describe("a proxy in the environment", () => {
  it.each(["projects list", "api me", "whoami"])(
    "carries requests in a tunnel, with an authority of NODE_EXTRA_CA_CERTS: %s",
    async (line) => {
      const env = { HTTPS_PROXY: service.proxyUrl, NODE_EXTRA_CA_CERTS: caFile };
      const { status, stderr } = await runProxied(`${line} -o json`, env);
      expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
      expect(service.asked).toEqual(["CONNECT api.test:443"]);
    },
  );

  it("is described by mgmt doctor without its password", async () => {
    const proxy = service.proxyUrl.replace("//", "//user:CANARY@");
    const env = { https_proxy: proxy, NODE_EXTRA_CA_CERTS: caFile, MGMT_CONFIG_DIR: temporaryFolder() };
    const { status, stdout, stderr } = await runProxied("doctor", env);
    expect(status).toBe(0);
    expect(stdout).toMatch(/ok +proxy +Connections go through http:\/\/.*@127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/ok +service /);
    expect(stdout + stderr).not.toContain("CANARY");
    expect(service.asked).toContain("CONNECT api.test:443");
  });

  it("forwards requests to http: addresses", async () => {
    const env = { MGMT_BASE_URL: "http://api.test", HTTP_PROXY: service.proxyUrl };
    const refused = await runProxied("me -o json", env);
    expect(refused).toMatchObject({ status: 2, stderr: expect.stringContaining("connection:insecure") });
    expect(service.asked).toEqual([]);
    expect((await runProxied("me -o json --insecure", env)).status).toBe(0);
    expect(service.asked).toEqual(["GET http://api.test/v1/me"]);
  });

  it("is not used for this machine", async () => {
    const env = {
      MGMT_BASE_URL: `https://localhost:${String(service.tlsPort)}`,
      HTTPS_PROXY: service.proxyUrl,
      NODE_EXTRA_CA_CERTS: caFile,
    };
    expect((await runProxied("me -o json", env)).status).toBe(0);
    expect(service.asked).toEqual([]);
  });

  it.each([
    ["does not listen", "http://user:CANARY@127.0.0.1:1", 9, "ECONNREFUSED"],
    ["is not an HTTP proxy", "socks5://user:CANARY@127.0.0.1:1", 2, "HTTPS_PROXY"],
  ])("causes an error without its password if it %s", async (_, proxy, code, why) => {
    const { status, stdout, stderr } = await runProxied("api me", { HTTPS_PROXY: proxy });
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringContaining(why),
    });
    expect(stderr).not.toContain("CANARY");
  });

  it("does not weaken the check of the certificate", async () => {
    const { status, stderr } = await runProxied("api me", { HTTPS_PROXY: service.proxyUrl });
    expect({ status, stderr }).toEqual({ status: 9, stderr: expect.stringContaining("SELF_SIGNED_CERT") });
  });
});

describe("mgmt doctor at an https: address", () => {
  it("describes the certificate", async () => {
    const MGMT_BASE_URL = `https://localhost:${String(service.tlsPort)}`;
    const { status, json } = await runProxied("doctor -o json", {
      MGMT_BASE_URL,
      NODE_EXTRA_CA_CERTS: caFile,
      MGMT_CONFIG_DIR: temporaryFolder(),
    });
    expect(status).toBe(0);
    expect(json).toContainEqual({
      name: "tls",
      status: "ok",
      message: expect.stringMatching(/^TLSv1\.3, certificate from .+, valid until 2\d{3}-/),
      next: [],
    });
  });

  it("fails if the certificate is not trusted, and names NODE_EXTRA_CA_CERTS", async () => {
    const MGMT_BASE_URL = `https://localhost:${String(service.tlsPort)}`;
    const { status, stdout } = await runProxied("doctor", { MGMT_BASE_URL });
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /failure +tls +The certificate of localhost is not trusted: it is self-signed \(\w*SELF_SIGNED_CERT/,
    );
    expect(stdout).toContain("NODE_EXTRA_CA_CERTS");
  });

  it("fails if the file of NODE_EXTRA_CA_CERTS cannot be read", async () => {
    const env = { MGMT_BASE_URL: "https://localhost:1", NODE_EXTRA_CA_CERTS: "/none/at/all.pem" };
    const { status, stdout } = await runProxied("doctor", env);
    expect(status).toBe(1);
    expect(stdout).toContain("/none/at/all.pem");
  });
});
