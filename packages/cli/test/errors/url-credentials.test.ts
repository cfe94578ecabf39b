import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stripUrlCredentials } from "../../src/text/strip-url-credentials.js";
import { type Account, startAccount } from "../commands/auth/account.js";
import { temporaryFolder } from "../folders.js";

const root = temporaryFolder();
const addresses = [
  "http://user:CANARY@127.0.0.1:1",
  "https://CANARY@api.test/",
  "http:user:CANARY@api.test",
  "https://user:CANARY/x@api.test",
  "user:CANARY@api.test",
];

describe("addressWithoutCredentials", () => {
  it.each(addresses)("removes the credentials of %s and keeps the host", (address) => {
    expect(stripUrlCredentials(address)).toMatch(/(?:api\.test|127\.0\.0\.1:1)\/?$/);
    expect(stripUrlCredentials(address)).not.toMatch(/CANARY|user/);
  });

  it.each(["https://api.test", "http://127.0.0.1:4300/", "https://api.test/@shop", "none", ""])(
    "leaves %j as it is",
    (address) => expect(stripUrlCredentials(address)).toBe(address),
  );
});

describe("the credentials of an address are not printed", () => {
  let account: Account;
  let folder: string;
  beforeAll(async () => {
    account = await startAccount();
    folder = mkdtempSync(join(root, "addresses-"));
    writeFileSync(join(folder, "mgmt.yaml"), "version: 1\nprojects: { shop: {} }\n");
  });
  afterAll(() => account.close());

  const lines = [
    "projects list",
    "projects create shop --dry-run",
    "whoami",
    "status",
    "auth status",
    "auth token --show-secrets",
    "auth list",
    "auth switch",
    "config list",
    "config get base-url",
    "config set base-url",
    "doctor",
    "open docs",
    "login --no-browser",
    "logout",
    "plan",
    "apply",
    "api GET projects",
    "dev approvals list",
    "dev list",
    "preview list --project-id proj_a",
    "complete -- databases get ",
  ];

  for (const address of addresses) {
    it(`from MGMT_BASE_URL, a flag or a profile: ${address}`, async () => {
      const profile = {
        baseUrl: address,
        authUrl: address,
        process: createProcessView().self,
        controlUrl: address,
      };
      let count = 0;
      for (const token of [undefined, "token"]) {
        account.store((stored) => {
          const other = { baseUrl: account.server.baseUrl, token: "token" };
          stored.profiles = { default: { ...profile, ...(token && { token }) }, other };
          stored.active = "default";
        });
        const before = readFileSync(account.file, "utf8");
        for (const line of lines) {
          const words = line.split(" ");
          for (const [env, more] of [
            [{ MGMT_BASE_URL: address }, []],
            [{ MGMT_BASE_URL: address, MGMT_TOKEN: token, MGMT_AUTH_URL: address }, []],
            [{ MGMT_BASE_URL: address }, ["--profile", "other"]],
            [{ MGMT_TOKEN: token }, ["--base-url", address]],
            [{}, []],
          ] as const) {
            // Each line and each environment meet each format with one of the tokens.
            const format = (count += 1) % 2 === 0 ? "table" : "json";
            const setArguments = line.startsWith("config set") ? [address] : [];
            const typed = [...words, ...setArguments, "-o", format, ...more];
            const { stdout, stderr } = await account.run(typed, { cwd: folder, env });
            expect(`${typed.join(" ").replaceAll(address, "")}\n${stdout}${stderr}`).not.toContain("CANARY");
          }
          writeFileSync(account.file, before);
        }
      }
    });
  }

  it("from a saved plan", async () => {
    const plan = { version: 1, projects: [], warnings: [], adoptions: [], steps: [], read: [] };
    writeFileSync(join(folder, "plan.json"), JSON.stringify({ ...plan, baseUrl: addresses[0] }));
    const env = {
      MGMT_BASE_URL: account.server.baseUrl,
      MGMT_TOKEN: await account.server.engine.tokens.user(),
    };
    const { status, stderr } = await account.run(["apply", "plan.json"], { cwd: folder, env });
    expect(status).not.toBe(0);
    expect(stderr).toContain("The plan is for http://127.0.0.1:1/, but the command uses http://127.0.0.1:");
    expect(stderr).not.toContain("CANARY");
  });
});
