import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  account,
  file,
  folder,
  inFolder,
  linked,
  useFolder,
} from "../../../test/commands/auth/linkable-folder.js";

useFolder();

describe("mgmt link", () => {
  it("writes profile, workspace and project, and no secret", async () => {
    await account.login();
    const { status, json } = await inFolder(
      "link --project-id proj_a --workspace-id wksp_a --no-verify -o json",
    );
    expect({ status, json }).toEqual({
      status: 0,
      json: { profile: "default", workspaceId: "wksp_a", projectId: "proj_a", protect: false, file },
    });
    expect(linked()).toEqual({ profile: "default", workspaceId: "wksp_a", projectId: "proj_a" });
  });

  it("stores the protection until --no-protect", async () => {
    await account.login();
    await account.login("--profile", "second");
    for (const [flags, protect] of [
      ["--protect", true],
      ["--profile second", true],
      ["--project-id proj_a --no-verify", true],
      ["--no-protect", false],
    ] as const) {
      expect((await inFolder(`link ${flags} -o json`)).json).toMatchObject({ protect });
      const { json } = await inFolder("config get protect -o json");
      expect(json).toMatchObject({ value: protect ? "on" : "off" });
    }
    await inFolder("config set protect on");
    expect((await inFolder("projects delete proj_a --yes")).stderr).toMatch(
      /because profile \w+ protects it/,
    );
  });

  it("preserves values that are left out, except those of another profile", async () => {
    await account.login();
    await account.login("--profile", "second");
    await inFolder("link --project-id proj_a --no-verify");
    await inFolder("link --workspace-id wksp_a --no-verify");
    expect(linked()).toEqual({ profile: "default", workspaceId: "wksp_a", projectId: "proj_a" });
    await inFolder("link --profile second");
    expect(linked()).toEqual({ profile: "second" });
    expect((await inFolder("auth switch default")).stderr).toContain(
      "Commands here still use profile second",
    );
  });

  it("accepts names and ids that the service has, and stores the ids", async () => {
    await account.login();
    const { seed, defaults } = account.server.engine;
    const { id } = await seed.project({ name: "shop" });
    const { workspace } = defaults;
    expect((await inFolder("link --project-id shop -o json")).json).toMatchObject({ projectId: id });
    await inFolder(`link --project-id ${id} --workspace-id ${workspace.id}`);
    expect(linked()).toEqual({ profile: "default", workspaceId: workspace.id, projectId: id });
    await inFolder(`link --project-id ${id.replace("proj_", "")}`);
    expect(linked()).toMatchObject({ projectId: id });
  });

  it.each([
    ["--project-id proj_000000000000000000000000", 6, "link:not_found"],
    ["--project-id nothing-of-that-name", 6, "name:not_found"],
    ["--workspace-id wksp_000000000000000000000000", 6, "link:not_found"],
    ["--project-id twice", 7, "name:ambiguous"],
    ["--project-id ..", 2, "Pass an id"],
  ])("writes nothing for an id or name that the service does not have: %s", async (flags, code, why) => {
    await account.login();
    for (const name of ["twice", "twice"]) await account.server.engine.seed.project({ name });
    const { status, stdout, stderr } = await inFolder(`link ${flags} -o json`);
    expect({ status, stdout, stderr }).toEqual({
      status: code,
      stdout: "",
      stderr: expect.stringContaining(why),
    });
    expect(existsSync(file)).toBe(false);
  });

  it("verifies nothing without a credential, and says so", async () => {
    const env = { MGMT_BASE_URL: account.server.baseUrl };
    const { status, stderr } = await inFolder("link --project-id proj_a -o json", env);
    expect({ status, stderr }).toEqual({ status: 4, stderr: expect.stringContaining("auth:no_token") });
    expect(existsSync(file)).toBe(false);
    expect((await inFolder("link --project-id proj_a --no-verify", env)).status).toBe(0);
  });

  it.each([
    ["link", "usage:missing"],
    ["link --profile nobody", "profile:not_found"],
    ["link --project-id --profile", "usage"],
    ["link --project-id ../x --no-verify", "Pass an id"],
    ["link --workspace-id= --no-verify", "Pass an id"],
    ["link --protect --no-protect", "--protect and --no-protect cannot be used together"],
    ["link --no-protect --project-id x --protect", "--protect and --no-protect cannot be used together"],
    ["link --no-gitignore --gitignore", "--gitignore and --no-gitignore cannot be used together"],
  ])("writes nothing for an invalid command line: %s", async (line, why) => {
    const { status, stderr } = await inFolder(`${line} -o json`);
    expect({ status: status === 2 || status === 3, stderr }).toEqual({
      status: true,
      stderr: expect.stringContaining(why),
    });
    expect(existsSync(file)).toBe(false);
  });

  it("reports a link file that cannot be written", async () => {
    await account.login();
    writeFileSync(join(folder, ".mgmt"), "");
    const { status, stderr } = await inFolder("link -o json");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("link:unwritable") });
  });
});
