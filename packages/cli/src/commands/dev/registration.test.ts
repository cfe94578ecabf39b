import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createProcessView } from "@mgmt/internal/processes/process-liveness";
import type { Platform } from "@mgmt/platform";
import { releaseClaim } from "./claim-folder.js";
import { registerService, unregisterService } from "./registration.js";
import { Output } from "../../output/output.js";
import { temporaryFolder } from "../../../test/folders.js";

const folder = temporaryFolder();
const here = createProcessView();
const output = new Output("table");

const readyAt = (port: number): Platform["ready"] => ({
  baseUrl: `http://127.0.0.1:${String(port)}`,
  authUrl: `http://127.0.0.1:${String(port)}`,
  controlUrl: `http://127.0.0.1:${String(port)}/_control`,
  controlSecretFile: "/second/control-secret",
  signInKeyFile: null,
  token: "eyService",
  workspaceId: "wksp_1",
  caFile: "/second/ca.pem",
  postgresPort: 4302,
  copyMethod: "clone",
  pid: process.pid,
});

const configWith = (content: object): string => {
  const config = mkdtempSync(join(folder, "config-"));
  writeFileSync(join(config, "config.json"), JSON.stringify(content), { mode: 0o600 });
  return config;
};

const read = (config: string): unknown => JSON.parse(readFileSync(join(config, "config.json"), "utf8"));

const local = {
  baseUrl: "http://127.0.0.1:4300",
  controlUrl: "http://127.0.0.1:4300/_control",
  controlSecretFile: "/first/control-secret",
  token: "first",
};

describe("the profile of a second mgmt dev", () => {
  it("is one of its own while the first runs, and is removed when it ends", async () => {
    const first = { ...local, process: here.self };
    const before = { active: "local", profiles: { local: first } };
    const config = configWith(before);
    const context = { env: { MGMT_CONFIG_DIR: config }, output };
    const registration = await registerService({ ready: readyAt(4310) }, false, context);
    expect(registration).toEqual({ name: "local-4310", isActive: false, otherLocalProfile: first });
    expect(read(config)).toMatchObject({
      active: "local",
      profiles: { local: first, "local-4310": { token: "eyService" } },
    });
    await unregisterService({ name: "local-4310", isActive: false }, context);
    expect(read(config)).toEqual(before);
  });

  it("is local once the first has ended, and stays without its process", async () => {
    const config = configWith({ active: "local", profiles: { local } });
    const context = { env: { MGMT_CONFIG_DIR: config }, output };
    const registration = await registerService({ ready: readyAt(4310) }, false, context);
    expect(registration).toEqual({ name: "local", isActive: true });
    await unregisterService({ name: "local", isActive: true }, context);
    const { profiles } = read(config) as { profiles: { local: object } };
    expect(profiles.local).toMatchObject({
      baseUrl: "http://127.0.0.1:4310",
      token: "eyService",
      copyMethod: "clone",
    });
    expect(profiles.local).not.toHaveProperty("process");
  });

  it("is that of its folder, which never becomes the active one, and stays without its process", async () => {
    const claimedFolder = { folder: "/projects/shop", dataId: "id", profileName: "here-shop" };
    const running = { ...local, process: here.self };
    const config = configWith({
      profiles: { local: running, "here-shop": { ...local, projectId: "proj_1" } },
    });
    const context = { env: { MGMT_CONFIG_DIR: config }, output };
    const registration = await registerService({ ready: readyAt(4310) }, false, context, claimedFolder);
    expect(registration).toEqual({ name: "here-shop", isActive: true });
    await releaseClaim(claimedFolder, context);
    expect(read(config)).toEqual({
      profiles: {
        local: running,
        "here-shop": {
          ...{ baseUrl: "http://127.0.0.1:4310", authUrl: "http://127.0.0.1:4310" },
          ...{ controlUrl: "http://127.0.0.1:4310/_control", controlSecretFile: "/second/control-secret" },
          copyMethod: "clone",
          ...{ token: "eyService", workspaceId: "wksp_1", folder: "/projects/shop", dataId: "id" },
          startedAt: expect.any(String),
        },
      },
    });
  });

  it("is left alone at the end if another service has it by then", async () => {
    const otherProfile = { ...local, process: { ...here.self, pid: here.self.pid + 1 } };
    const before = { active: "local", profiles: { local: otherProfile } };
    const config = configWith(before);
    await unregisterService({ name: "local", isActive: true }, { env: { MGMT_CONFIG_DIR: config } });
    expect(read(config)).toEqual(before);
  });
});
