import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { type ProxiedService, caFile, startProxiedService } from "../../../test/proxied-service.js";
import type { Result } from "../../../test/result.js";
import { run, useSession } from "../../../test/terminal.js";

const session = useSession();
let service: ProxiedService;
beforeAll(async () => {
  await ensureBuilt();
  service = await startProxiedService(session.server.baseUrl);
});
afterAll(() => void service.close());

/** Runs the built command against a host that only the proxy knows. */
const runProxied = (line: string, env: NodeJS.ProcessEnv): Promise<Result> =>
  run(line.split(" "), { env: { ...session.env, MGMT_BASE_URL: "https://api.test", ...env } });

describe("the checks of a connection", () => {
  it("describe a proxy without its password", async () => {
    const proxy = service.proxyUrl.replace("//", "//user:CANARY@");
    const env = { https_proxy: proxy, NODE_EXTRA_CA_CERTS: caFile, MGMT_CONFIG_DIR: temporaryFolder() };
    const { status, stdout, stderr } = await runProxied("doctor", env);
    expect(status).toBe(0);
    expect(stdout).toMatch(/ok +proxy +Connections go through http:\/\/.*@127\.0\.0\.1:\d+/);
    expect(stdout).toMatch(/ok +service /);
    expect(stdout + stderr).not.toContain("CANARY");
    expect(service.asked).toContain("CONNECT api.test:443");
  });

  it("describe a certificate", async () => {
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

  it("fail for a certificate that is not trusted, and name NODE_EXTRA_CA_CERTS", async () => {
    const MGMT_BASE_URL = `https://localhost:${String(service.tlsPort)}`;
    const { status, stdout } = await runProxied("doctor", { MGMT_BASE_URL });
    expect(status).toBe(1);
    expect(stdout).toMatch(
      /failure +tls +The certificate of localhost is not trusted: it is self-signed \(\w*SELF_SIGNED_CERT/,
    );
    expect(stdout).toContain("NODE_EXTRA_CA_CERTS");
  });

  it("fail if the file of NODE_EXTRA_CA_CERTS cannot be read", async () => {
    const env = { MGMT_BASE_URL: "https://localhost:1", NODE_EXTRA_CA_CERTS: "/none/at/all.pem" };
    const { status, stdout } = await runProxied("doctor", env);
    expect(status).toBe(1);
    expect(stdout).toContain("/none/at/all.pem");
  });
});
