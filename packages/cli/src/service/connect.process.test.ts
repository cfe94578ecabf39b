import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { startCannedServer } from "../../test/canned-server.js";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";

const folder = temporaryFolder();
const configDir = join(folder, "config");
mkdirSync(configDir);
writeFileSync(join(folder, "mgmt.yaml"), "projects:\n  shop: {}\n");
writeFileSync(join(folder, "secret"), "canary-secret");
const baseUrl = "http://api.test";
const login = {
  accessToken: "canary-access",
  refreshToken: "canary-refresh",
  expiresAt: 1,
  scopes: [],
  issuer: baseUrl,
  clientId: "itgr_mgmtcommandlineinterface",
};
writeFileSync(
  join(configDir, "config.json"),
  JSON.stringify({ profiles: { token: { baseUrl, token: "canary" }, login: { baseUrl, login } } }),
);

/** A proxy that pretends to be `api.test`, and records the requests. */
let received: string[];
let close: () => void;
beforeEach(async () => {
  received = [];
  const proxy = await startCannedServer(({ method = "", url = "", headers }) => {
    received.push(`${method} ${url} ${headers.authorization ?? ""}`);
    return { body: { data: { user: null, workspace: null, credential: { type: "service_token" } } } };
  });
  ({ close } = proxy);
  for (const name of ["HTTP_PROXY", "http_proxy"]) vi.stubEnv(name, proxy.env["MGMT_BASE_URL"] ?? "");
});
afterEach(() => {
  vi.unstubAllEnvs();
  close();
});

const run = (line: string, env: NodeJS.ProcessEnv = {}): Promise<Result> =>
  runInProcess(["-o", "json", ...line.split(" ")], {
    cwd: folder,
    stdin: "canary-typed\n",
    env: { MGMT_CONFIG_DIR: configDir, ...env },
  });

const inEnvironment = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: "canary" };

describe("an http: address of another machine", () => {
  it.each([
    ["projects list"],
    ["projects create shop"],
    ["api me"],
    ["whoami"],
    ["open proj_1"],
    ["env db_1"],
    ["run --database-id db_1 -- true"],
    ["psql db_1"],
    ["preview up --project-id proj_1 --branch main"],
    ["plan"],
    ["apply --yes"],
    ["export"],
    ["projects list --profile token"],
    ["projects list --profile login"],
    ["auth token --profile login"],
    ["login --base-url http://api.test --with-token", {}],
    ["login --base-url http://api.test --no-browser", {}],
    ["login --base-url https://a.test --auth-url http://api.test --no-browser", {}],
    ["logout --profile login", {}],
    ["dev approvals list --control-url http://api.test/_control --control-secret-file secret", {}],
  ] as [line: string, env?: NodeJS.ProcessEnv][])(
    "gets no request from %s",
    async (line, env = inEnvironment) => {
      const { status, stdout, stderr } = await run(line, env);
      expect({ status, stdout, stderr }).toEqual({
        status: 2,
        stdout: "",
        stderr: expect.stringContaining("connection:insecure"),
      });
      expect(stderr).toContain("--insecure");
      expect(stderr).not.toContain("canary");
      expect(received).toEqual([]);
    },
  );

  it("gets no credential from mgmt doctor, which says so", async () => {
    const { status, stdout } = await run("doctor", inEnvironment);
    expect(status).not.toBe(0);
    expect(stdout).toContain("connection:insecure");
    expect(received.join()).not.toContain("Bearer");
  });

  it("is used with --insecure, which prints one warning on standard error", async () => {
    const { status, stdout, errors } = await run("whoami --insecure", inEnvironment);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ credential: { type: "service_token" } });
    const message = "Credentials are sent to api.test unencrypted, because of --insecure";
    expect(errors).toEqual([{ warning: { code: "connection:insecure", message } }]);
    expect(received).toEqual([`GET ${baseUrl}/v1/me Bearer canary`]);
  });

  it("is not allowed by a variable or a profile, which a repository could set for every command", async () => {
    for (const name of ["MGMT_INSECURE", "INSECURE"]) {
      const { status } = await run("whoami", { ...inEnvironment, [name]: "true" });
      expect(status).toBe(2);
    }
    expect(received).toEqual([]);
  });

  it("is printed by dry runs, which send nothing", async () => {
    expect((await run("projects create shop --dry-run", inEnvironment)).status).toBe(0);
    expect(received).toEqual([]);
  });
});
