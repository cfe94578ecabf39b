import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureBuilt } from "../bin.js";
import { type ProxiedService, caFile, startProxiedService } from "../proxied-service.js";
import type { Result } from "../result.js";
import { run, useSession } from "../terminal.js";

const session = useSession();
let service: ProxiedService;
beforeAll(async () => {
  await ensureBuilt();
  service = await startProxiedService(session.server.baseUrl);
});
beforeEach(() => service.asked.splice(0));
afterAll(() => void service.close());

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
