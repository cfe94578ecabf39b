import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Result } from "../../test/result.js";
import {
  account,
  file,
  folder,
  inFolder,
  useFolder,
  write,
} from "../../test/commands/auth/linkable-folder.js";

useFolder();

describe("a linked folder", () => {
  it("uses its profile and project, also in folders below, unless a flag or variable overrides them", async () => {
    await account.login();
    await account.login("--profile", "second");
    const { seed } = account.server.engine;
    const ids = await Promise.all(["a", "b", "c"].map(async () => (await seed.project()).id));
    await inFolder(`link --profile second --project-id ${ids[0]} --workspace-id wksp_linked --no-verify`);
    const statusOf = async (line = "", env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
      (await inFolder(`auth status -o json${line}`, env, "below/it")).json;
    expect(await statusOf()).toMatchObject({
      profile: { value: "second", from: file },
      credential: { kind: "login", from: "profile second" },
      workspace: { value: "wksp_linked", from: file },
      project: { value: ids[0], from: file },
      link: file,
    });
    expect(await statusOf("", { MGMT_PROJECT_ID: ids[1], MGMT_WORKSPACE_ID: "wksp_env" })).toMatchObject({
      workspace: { value: "wksp_env", from: "MGMT_WORKSPACE_ID" },
      project: { value: ids[1], from: "MGMT_PROJECT_ID" },
    });
    const ownWorkspace = { value: account.server.engine.defaults.workspace.id, from: "profile default" };
    const other = { workspace: ownWorkspace, project: { value: null } };
    expect(await statusOf(" --profile default")).toMatchObject(other);
    expect(await statusOf("", { MGMT_PROFILE: "default" })).toMatchObject(other);

    const projectOf = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<unknown> =>
      (await inFolder(`databases create ${line} -o json`, env, "below")).json;
    expect(await projectOf("one")).toMatchObject({ project: { id: ids[0] } });
    const env = { MGMT_PROJECT_ID: ids[1] };
    expect(await projectOf("two", env)).toMatchObject({ project: { id: ids[1] } });
    expect(await projectOf(`three --project-id ${ids[2]}`, env)).toMatchObject({ project: { id: ids[2] } });
  });

  it.each(["databases", "services"])(
    "lists the %s of its project, and with --all-projects those of all",
    async (group) => {
      await account.login();
      const { seed } = account.server.engine;
      const [shop, other] = [await seed.project({ name: "shop" }), await seed.project({ name: "other" })];
      for (const { id } of [shop, other]) {
        await seed.app(id, { displayName: "web" });
        await seed.branch(id, { gitName: "preview" });
      }
      await inFolder(`link --project-id ${shop.id}`);
      const projectsIn = ({ json }: Result): unknown[] => [
        ...new Set(
          (json as { project?: { id: string }; projectId?: string }[]).map(
            ({ project, projectId }) => project?.id ?? projectId,
          ),
        ),
      ];
      const own = await inFolder(`${group} list -o json`, {}, "below");
      expect(projectsIn(own)).toEqual([shop.id]);
      expect(own.errors).toContainEqual({
        notice: { code: "link:used", message: `Using project ${shop.id} from ${file}`, from: file },
      });
      const all = await inFolder(`${group} list --all-projects -o json`);
      expect(projectsIn(all)).toEqual(expect.arrayContaining([shop.id, other.id]));
      expect(all.stderr).not.toContain("Using project");
      expect(projectsIn(await inFolder(`${group} list --project-id ${other.id} -o json`))).toEqual([
        other.id,
      ]);
      const byVariable = await inFolder(`${group} list -o json`, { MGMT_PROJECT_ID: other.id });
      expect(projectsIn(byVariable)).toEqual([other.id]);
      const unassigned = await inFolder(`${group} list --branch-id unassigned -o json`);
      expect(unassigned.stderr).toContain(`Using project ${shop.id}`);
      const both = await inFolder(`${group} list --all-projects --project-id ${other.id} -o json`);
      expect(both.status).toBe(2);
    },
  );

  it("does not limit the list of a branch of another project", async () => {
    await account.login();
    const { seed } = account.server.engine;
    const [shop, other] = [await seed.project(), await seed.project()];
    const branch = await seed.branch(other.id, { gitName: "preview" });
    await inFolder(`link --project-id ${shop.id}`);
    const created = await inFolder(
      `databases create x --project-id ${other.id} --branch-id ${branch.id} -o json`,
    );
    expect((await inFolder(`databases list --branch-id ${branch.id} -o json`)).json).toMatchObject([
      { id: (created.json as { id: string }).id },
    ]);
  });

  it("uses its workspace where a command needs one", async () => {
    await account.login();
    expect(await inFolder("integrations list -o json")).toMatchObject({ status: 0 });
    const { length } = (await inFolder("integrations list -o json")).json as unknown[];
    expect(length).toBe(1);
    // The service lists nothing for another workspace.
    const other = `wksp_${"0".repeat(24)}`;
    await inFolder(`link --workspace-id ${other} --no-verify`);
    const { status, stderr } = await inFolder("integrations list -o json");
    expect(status).toBe(6);
    expect(stderr).toContain(`Using workspace ${other} from ${file}`);
    expect(stderr).toContain("name:not_found");
  });

  it("replaces the only id of a command that is left out, except of a delete", async () => {
    await account.login();
    const { seed, defaults, rows } = account.server.engine;
    const { id, database } = await seed.project({ name: "linked" });
    const unlinked = await inFolder("projects get -o json");
    expect(unlinked.stderr).toContain("mgmt link --project-id");

    await inFolder(`link --project-id ${id}`);
    expect((await inFolder("projects get -o json")).json).toMatchObject({ id, name: "linked" });
    expect((await inFolder("projects databases list -o json")).json).toMatchObject([{ id: database?.id }]);
    expect((await inFolder("projects update --name renamed -o json")).json).toMatchObject({ id });
    const workspace = await inFolder("workspaces get -o json");
    expect(workspace.json).toMatchObject({ id: defaults.workspace.id });

    const other = await inFolder("projects get proj_other -o json");
    expect(other.stderr).toContain("project:not_found");
    const deleting = await inFolder("projects delete --yes -o json");
    expect(deleting.stderr).toContain("usage:missing");
    const transfer = ["projects", "transfer", "--recipient-access-token-file", "-", "--yes", "-o", "json"];
    const moving = await account.run(transfer, {
      cwd: folder,
      stdin: await account.server.engine.tokens.user(),
    });
    expect(moving.stderr).toContain("usage:missing");
    expect(rows.projects.get(id)).toBeDefined();
  });

  it("is named when the project that it names does not exist", async () => {
    await account.login();
    await inFolder("link --project-id proj_gone --no-verify");
    expect((await inFolder("projects get")).stderr).toContain(
      `Not found: project-id proj_gone (from ${file})\n`,
    );
    const { errors } = await inFolder("projects databases list -o json");
    expect(errors.at(-2)).toMatchObject({
      notice: { code: "target:not_found", ids: { projectId: "proj_gone" }, from: file },
    });
  });

  it("is named on standard error whenever a command used its profile, project or workspace, on success too", async () => {
    await account.login();
    await account.login("--profile", "second");
    const { seed, defaults } = account.server.engine;
    const { id } = await seed.project({ name: "linked" });
    const { host } = new URL(account.server.baseUrl);
    await inFolder(`link --profile second --project-id ${id} --workspace-id ${defaults.workspace.id}`);
    const profile = `Using profile second (${host}) from ${file}`;
    const project = `Using project ${id} from ${file}`;
    const workspace = `Using workspace ${defaults.workspace.id} from ${file}`;
    for (const [line, messages] of [
      ["projects list", [profile]],
      ["projects get", [profile, project]],
      ["databases create reports", [profile, project]],
      ["api /v1/projects/{projectId}", [profile, project]],
      ["open --no-browser", [profile, project]],
      ["workspaces get", [profile, workspace]],
      ["whoami", [profile]],
      ["auth token", [profile]],
    ] as const) {
      const json = await inFolder(`${line} -o json`, {}, "below");
      expect({ line, status: json.status }).toEqual({ line, status: 0 });
      expect(() => JSON.parse(json.stdout) as unknown).not.toThrow();
      const notices = messages.map((message) => ({ notice: { code: "link:used", message, from: file } }));
      expect(new Set(json.errors)).toEqual(new Set(notices));
      expect(json.errors).toHaveLength(notices.length);
      const { stderr } = await inFolder(line.replace("create reports", "create others"), {}, "below");
      expect(messages.filter((message) => !stderr.includes(`${message}\n`))).toEqual([]);
    }
    // It changed nothing in these.
    const flags = ` --profile second --project-id ${id}`;
    expect((await inFolder(`databases create third -o json${flags}`)).stderr).toBe("");
    expect((await inFolder("workspaces get -o json --profile default")).stderr).toBe("");
    expect((await inFolder("logout -o json")).stderr).toContain(profile);
  });

  it("is named on a terminal before a change, by the name of the project, and not for what only reads", async () => {
    await account.login();
    const { seed } = account.server.engine;
    const [linked, other] = [await seed.project({ name: "linked" }), await seed.project({ name: "other" })];
    await inFolder(`link --project-id ${linked.id}`);
    const messagesOf = async (line: string, env: NodeJS.ProcessEnv = {}): Promise<string[]> => {
      const { status, stderr } = await account.run(line.split(" "), {
        cwd: folder,
        env,
        terminal: true,
        columns: 300,
      });
      expect({ line, status, stderr }).toMatchObject({ line, status: 0 });
      return stderr.split("\n").flatMap((message) => /Using [^"]+/.exec(message) ?? []);
    };
    const { host } = new URL(account.server.baseUrl);
    const profile = `Using profile default (${host}) from ${file}`;
    const formats = ["table", "json", "csv", "name", "yaml", "ndjson"];
    for (const format of formats)
      for (const line of ["databases list", "projects get", "status"])
        expect(await messagesOf(`${line} --output ${format}`)).toEqual([]);
    const project = `Using project linked from ${file}`;
    for (const format of formats) {
      const used = await messagesOf(`databases create reports-${format} --output ${format}`);
      expect(used).toEqual([profile, project]);
    }
    for (const line of ["databases list", "open --no-browser", "usage --csv"])
      expect(await messagesOf(`${line} --verbose`)).toEqual([profile, project]);
    const overridden = `Using project ${other.id} from MGMT_PROJECT_ID, which overrides ${linked.id} in ${file}`;
    expect(await messagesOf("databases list", { MGMT_PROJECT_ID: other.id })).toEqual([overridden]);
    expect(await messagesOf("databases list", { MGMT_PROJECT_ID: linked.id })).toEqual([]);
    const env = {
      MGMT_BASE_URL: account.server.baseUrl,
      MGMT_TOKEN: await account.server.engine.tokens.user(),
    };
    expect(await messagesOf("whoami", env)).toEqual([
      `Using service ${account.server.baseUrl} from MGMT_BASE_URL, which overrides profile default in ${file}`,
    ]);
    expect(await messagesOf("databases list", { MGMT_PROJECT_ID: "" })).toEqual([]);
    expect((await account.run(["status"], { cwd: folder })).stdout).toMatch(/^Profile +default, from /m);
  });

  it("is not needed for the workspace, which the service knows", async () => {
    const { defaults, tokens } = account.server.engine;
    const env = { MGMT_BASE_URL: account.server.baseUrl, MGMT_TOKEN: await tokens.user() };
    const { json } = await inFolder("workspaces get -o json", env);
    expect(json).toMatchObject({ id: defaults.workspace.id });
  });

  it("reports a profile that does not exist here, and names the link", async () => {
    write('{"profile":"colleague","later":1}');
    const { status, stderr } = await inFolder("projects list -o json");
    expect({ status, stderr }).toEqual({ status: 2, stderr: expect.stringContaining("profile:not_found") });
    expect(stderr).toContain(file);
  });

  it.each([
    ["", "it is empty"],
    ["{", "it is not JSON"],
    ["null", "does not contain"],
    ["[]", "does not contain"],
    ['{"profile":"../x"}', "does not contain"],
    ['{"projectId":7}', "does not contain"],
    ['{"workspaceId":"a b"}', "does not contain"],
  ])("reports a corrupt link, which unlink removes: %s", async (text, why) => {
    await account.login();
    write(text);
    for (const line of ["auth status", "link"]) {
      const { status, stderr } = await inFolder(`${line} -o json`, {}, "below");
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("link:corrupt") });
      expect(stderr).toContain(why);
    }
    expect(readFileSync(file, "utf8")).toBe(text);
    expect((await inFolder("unlink", {}, "below")).status).toBe(0);
    expect((await inFolder("auth status")).status).toBe(0);
  });

  it("reports a link that cannot be read", async () => {
    mkdirSync(file, { recursive: true });
    const { status, stderr } = await inFolder("projects list -o json");
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringContaining("link:unreadable") });
    expect((await inFolder("unlink -o json")).stderr).toContain("link:unwritable");
  });
});

describe("a link that another account may have written", () => {
  const statusOf = async (): Promise<Result> => inFolder("auth status -o json", {}, "below");
  const ignored = (reason: string): object => ({
    warning: { code: "link:ignored", message: `${file} was ignored, because ${reason}`, from: file },
  });

  it.skipIf(process.platform === "win32").each([
    ["the file", () => file, "every account can write to it"],
    ["the folder of the file", () => join(folder, ".mgmt"), "every account can write to its folder"],
    ["the linked folder", () => folder, "every account can write to its folder"],
  ])("is ignored with a warning if every account can write to %s", async (_, path, reason) => {
    await account.login();
    await inFolder("link --project-id proj_a --no-verify");
    expect((await statusOf()).json).toMatchObject({ link: file, project: { value: "proj_a" } });
    for (const mode of [0o777, 0o1777]) {
      chmodSync(path(), mode);
      const { json, errors } = await statusOf();
      expect({ json, errors }).toMatchObject({
        json: { link: null, project: { value: null } },
        errors: [ignored(reason)],
      });
    }
  });

  it.skipIf(process.geteuid?.() !== 0).each([
    ["the file", () => file, "it belongs to another account"],
    ["its folder", () => join(folder, ".mgmt"), "its folder belongs to another account"],
  ])("is ignored with a warning if another account owns %s", async (_, path, reason) => {
    await account.login();
    write('{"profile":"nobody"}');
    expect((await statusOf()).stderr).toContain("profile:not_found");
    chownSync(path(), 65_534, 65_534);
    const { status, json, errors } = await statusOf();
    expect({ status, json, errors }).toMatchObject({
      status: 0,
      json: { link: null },
      errors: [ignored(reason)],
    });
  });
});

describe("a token beside a link", () => {
  it("is not sent to the address of the profile that the link names", async () => {
    await account.login();
    await account.login("--profile", "second");
    const token = await account.server.engine.tokens.user();
    writeFileSync(join(folder, "token"), token);
    write('{"profile":"second"}');
    for (const [flags, env] of [
      ["", { MGMT_TOKEN: token }],
      [` --token-file ${join(folder, "token")}`, {}],
    ] as const) {
      const refused = await inFolder(`projects list -o json${flags}`, env);
      expect(refused).toMatchObject({ status: 4, stdout: "" });
      expect(refused.stderr).toContain("auth:other_service");
      expect(refused.stderr).toContain(file);
      // The user, not the link, chooses the address.
      const chosen = await inFolder(`projects list -o json${flags}`, { ...env, MGMT_PROFILE: "second" });
      expect(chosen).toMatchObject({ status: 0 });
      const addressed = await inFolder(
        `projects list -o json${flags} --base-url ${account.server.baseUrl}`,
        env,
      );
      expect(addressed).toMatchObject({ status: 0 });
    }
  });
});
