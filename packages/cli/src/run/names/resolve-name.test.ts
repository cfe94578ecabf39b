import { beforeAll, describe, expect, it } from "vitest";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { type Session, useSession } from "../../../test/terminal.js";

const session = useSession();
let shop: string;
let reports: string;
let previewReports: string;
let feature: string;
beforeAll(async () => {
  const { mgmt } = session;
  const idOf = ({ json }: { json: unknown }): string => (json as { id: string }).id;
  shop = idOf(await mgmt`projects create shop -o json --fields id`);
  feature = idOf(await mgmt`projects branches create ${shop} feature/x -o json --fields id`);
  reports = idOf(await mgmt`databases create reports --project-id ${shop} -o json --fields id`);
  previewReports = idOf(
    await mgmt`databases create reports --project-id ${shop} --branch-id ${feature} -o json --fields id`,
  );
  await session.server.engine.seed.project({ name: "twin" });
  await session.server.engine.seed.project({ name: "twin" });
});

const nameOf = async (line: ReturnType<Session["mgmt"]>): Promise<string> => (await line).stdout.trim();

describe("a name in place of an id", () => {
  it("finds a project by its name or logical id", async () => {
    const { mgmt } = session;
    expect(await nameOf(mgmt`projects get shop -o name`)).toBe(shop);
    const tagged = await mgmt`projects create other --logical-id tagged -o name`;
    expect(await nameOf(mgmt`projects get tagged -o name`)).toBe(tagged.stdout.trim());
  });

  it("finds a database by its project, branch and name", async () => {
    const { mgmt } = session;
    expect(await nameOf(mgmt`databases get shop/main/reports -o name`)).toBe(reports);
    expect(await nameOf(mgmt`databases get shop/feature/x/reports -o name`)).toBe(previewReports);
    expect(await nameOf(mgmt`databases get ${`${shop}/@feature/x/reports`} -o name`)).toBe(previewReports);
  });

  it("finds a branch of the default project or of a named one", async () => {
    const { mgmt, env } = session;
    const linked = inProcess({ env: { ...env, MGMT_PROJECT_ID: shop } });
    expect(await nameOf(linked`branches get @feature/x -o name`)).toBe(feature);
    expect(await nameOf(mgmt`branches get shop/@feature/x -o name`)).toBe(feature);
  });

  it("is accepted in flags as well", async () => {
    const { mgmt } = session;
    const { json } = await mgmt`databases create extra --project-id shop --branch-id @feature/x -o json`;
    expect(json).toMatchObject({ project: { id: shop }, branchId: feature });
    const list = await mgmt`databases list --project-id shop -o name`;
    expect(list.stdout).toContain(reports);
  });

  it("is refused with 7 and the candidates if it is ambiguous, and nothing is changed", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const { status, stdout, errors } = await mgmt`projects delete twin --yes -o json`;
    expect({ status, stdout }).toEqual({ status: 7, stdout: "" });
    const { error } = errors[0] as { error: { code: string; hint: string; next: string[][] } };
    expect(error.code).toBe("name:ambiguous");
    for (const [, , , id = ""] of error.next) {
      expect(error.hint).toContain(id);
      expect((await mgmt`projects get ${id}`).status).toBe(0);
    }
    expect(error.next).toHaveLength(2);
    const sent = server.engine.requests.slice(before).map(({ method }) => method);
    expect(new Set(sent)).toEqual(new Set(["GET"]));
    expect((await mgmt`databases get shop/reports`).stderr).toContain(previewReports);
  });

  it("is refused for several services, with commands that are not deprecated", async () => {
    const { mgmt, server } = session;
    const { id } = await server.engine.seed.project({ name: "twins" });
    await server.engine.seed.branch(id, { gitName: "other" });
    await mgmt`services create web --project-id ${id}`;
    await mgmt`services create web --project-id ${id} --branch-git-name other`;
    const { status, errors } = await mgmt`services get twins/web -o json`;
    expect(status).toBe(7);
    const { error } = errors[0] as { error: { message: string; next: string[][] } };
    expect(error.message).toBe('2 services are named "twins/web"');
    for (const [command, ...next] of error.next) {
      expect([command, ...next.slice(0, 2)]).toEqual(["mgmt", "services", "get"]);
      expect((await mgmt`${next[0] ?? ""} ${next[1] ?? ""} ${next[2] ?? ""}`).status).toBe(0);
    }
    expect(error.next).toHaveLength(2);
  });

  it("is listed with full names if it is ambiguous, each of which finds its resource", async () => {
    const { mgmt, server } = session;
    const { id: project } = await server.engine.seed.project({ name: "full" });
    await mgmt`projects branches create ${project} feature/y`;
    for (const branch of ["main", "feature/y"]) {
      await mgmt`databases create sales --project-id ${project} --branch-id ${`full/@${branch}`}`;
      await mgmt`connections create app --database-id ${`full/${branch}/sales`}`;
      await mgmt`services create api --project-id ${project} --branch-git-name ${branch}`;
    }
    for (const [group, name, ...labels] of [
      ["databases", "full/sales", "full/main/sales", "full/feature/y/sales"],
      ["connections", "app", "full/main/sales/app", "full/feature/y/sales/app"],
      ["connections", "full/sales/app", "full/main/sales/app", "full/feature/y/sales/app"],
      ["services", "full/api", "full/main/api", "full/feature/y/api"],
    ] as const) {
      const { status, errors } = await mgmt`${group} get ${name} -o json`;
      const { error } = errors[0] as { error: { code: string; hint: string } };
      expect({ name, status, code: error.code }).toEqual({ name, status: 7, code: "name:ambiguous" });
      const listed = [...error.hint.matchAll(/(\w+_\w+) \(([^)]+)\)/g)].map(([, id, label]) => ({
        id,
        label,
      }));
      expect(listed.map(({ label }) => label).sort()).toEqual([...labels].sort());
      for (const { id, label } of listed)
        expect(await nameOf(mgmt`${group} get ${label ?? ""} -o name`)).toBe(id);
    }
    expect((await mgmt`connections get full/main/sales/nothing`).status).toBe(6);
  });

  it("is listed with what else differs if even the full names are equal", async () => {
    const { mgmt } = session;
    const { stderr } = await mgmt`projects get twin`;
    expect(stderr.match(/\(twin, .*?created \d{4}-[^)]+\)/g)).toHaveLength(2);
  });

  it("exits with 6 if nothing has it", async () => {
    const { mgmt } = session;
    for (const name of ["shop/main/nothing", "nobody/main/reports", "shop/@nothing"]) {
      const { status, stderr } = await mgmt`databases get ${name}`;
      expect({ name, status }).toEqual({ name, status: 6 });
      expect(stderr).toContain("name:not_found");
    }
    const { status, stderr } = await mgmt`projects get nothing`;
    expect({ status, stderr }).toEqual({
      status: 6,
      stderr:
        'error: No project has the id or name "nothing" (name:not_found)\nhint: Run mgmt projects list to see your projects.\n',
    });
  });

  it.each([
    ["projects get shpo", "Did you mean shop?"],
    ["databases get shpo/reports", "Did you mean shop?"],
    ["databases get shop/main/raports", "Did you mean shop/main/reports?"],
    ["branches get shop/@featur/x", "Did you mean shop/@feature/x?"],
    ["databases list --project-id shpo", "Did you mean shop?"],
    ["connections list --database-id shop/raports", "Did you mean shop/reports?"],
    ["databases list --project-id shop --branch-id featur/x", "Did you mean feature/x?"],
    ["databases list --project-id shop --branch-git-name featur/x", "Did you mean feature/x?"],
    ["databases list --branch-git-name featur/x", "Did you mean feature/x or feature/y?"],
    ["services list --branch-git-name featur/x --all", "Did you mean feature/x or feature/y?"],
    ["export shpo", "Did you mean shop?"],
  ])("is refused with the names that are similar, and nothing else is sent: %s", async (line, meant) => {
    const { server } = session;
    const before = server.engine.requests.length;
    const { status, stdout, stderr } = await runInProcess(line.split(" "), session);
    expect({ status, stdout }).toEqual({ status: 6, stdout: "" });
    expect(stderr).toContain(meant);
    expect(server.engine.requests.slice(before).every(({ path }) => !path.includes("shpo"))).toBe(true);
  });

  it("is an id without its prefix", async () => {
    const { mgmt } = session;
    const short = await session.server.engine.seed.project({ name: "short" });
    expect(await nameOf(mgmt`projects get ${short.id.replace("proj_", "")} -o name`)).toBe(short.id);
  });

  it("is found in the body as it is in flags, also in nested fields", async () => {
    const { mgmt, server } = session;
    const body = {
      projectId: "shop",
      branchId: "@feature/x",
      source: { type: "database", databaseId: "shop/main/reports" },
    };
    await server.engine.clock.advance(60_000);
    const { status, json } = await mgmt`databases create --body ${JSON.stringify(body)} --name copy -o json`;
    expect(status).toBe(0);
    expect(json).toMatchObject({
      project: { id: shop },
      branchId: feature,
      source: { type: "database", databaseId: reports },
    });
    const { id } = json as { id: string };
    const moved = await mgmt`databases update ${id} --body ${'{"branchId":"shop/main"}'} -o json`;
    expect(moved.json).not.toMatchObject({ branchId: feature });
  });

  it("is found in each line of a file, with one list for all of them", async () => {
    const { env, server } = session;
    const before = server.engine.requests.length;
    const lines = [
      { name: "n1", projectId: "shop" },
      { name: "n2", projectId: "twin" },
      { name: "n3", projectId: "nobody" },
      { name: "n4", projectId: "shop", source: { type: "database", databaseId: "shop/main/reports" } },
      { name: "n5", projectId: shop, branchId: "feature/x" },
    ];
    const stdin = lines.map((line) => JSON.stringify(line)).join("\n");
    const line = "databases create --ndjson - --no-connection -o json".split(" ");
    const { status, json, stderr } = await runInProcess(line, { env, stdin });
    expect(status).toBe(10);
    expect(json).toMatchObject([
      { line: 1, status: "created", resource: { project: { id: shop } } },
      { line: 2, status: "failed", error: { code: "name:ambiguous" } },
      { line: 3, status: "failed", error: { code: "name:not_found" } },
      { line: 4, status: "created", resource: { source: { databaseId: reports } } },
      { line: 5, status: "created", resource: { branchId: feature } },
    ]);
    expect(stderr).toContain("2 projects are named");
    const lists = server.engine.requests
      .slice(before)
      .filter(({ operationId }) => operationId === "projects.list");
    expect(lists).toHaveLength(1);
  });

  it("is found in the argument and the lines of a dry run", async () => {
    const { env } = session;
    const stdin = '{"name":"a"}\n{"name":"b","source":{"type":"database","databaseId":"reports"}}';
    const line = "projects databases create shop --ndjson - --dry-run".split(" ");
    const { status, stderr } = await runInProcess(line, { env, stdin });
    expect(status).toBe(7);
    expect(stderr).toContain('databases are named "reports"');
    const planned = await runInProcess(line, { env, stdin: '{"name":"a"}' });
    expect(planned.json).toMatchObject([{ url: expect.stringContaining(`/v1/projects/${shop}/databases`) }]);
  });

  it.each([
    [
      "projects create --body -",
      { name: "x", workspaceId: "s3cr3t" },
      "No workspace has the id or name in workspaceId",
    ],
    ["databases create --body -", { projectId: "s3cr3t/x" }, "No project has the id or name in projectId"],
    [
      "databases create --project-id shop --body -",
      { source: { type: "database", databaseId: "s3cr3t" } },
      "No database has the id or name in source.databaseId",
    ],
    [
      "databases update db_1 --body -",
      { branchId: "s3cr3t" },
      "The project of the branch in branchId is missing",
    ],
    [
      "databases create --ndjson - --no-connection",
      { name: "x", projectId: "s3cr3t" },
      "No project has the id or name in projectId",
    ],
  ])(
    "is not repeated from a body, which may have a secret in the wrong field: %s",
    async (line, body, message) => {
      const { env } = session;
      const stdin = JSON.stringify(body);
      const { status, stdout, stderr } = await runInProcess([...line.split(" "), "-o", "json"], {
        env,
        stdin,
      });
      expect({ line, failed: status !== 0, output: stdout + stderr }).toEqual({
        line,
        failed: true,
        output: expect.stringContaining(message),
      });
      expect(stdout + stderr).not.toContain("s3cr3t");
    },
  );

  it("is the name of the default project", async () => {
    const named = inProcess({ env: { ...session.env, MGMT_PROJECT_ID: "shop" } });
    expect(await nameOf(named`branches get @feature/x -o name`)).toBe(feature);
    expect(await nameOf(named`projects get -o name`)).toBe(shop);
    expect(await nameOf(named`databases get main/nothing -o name`)).toBe("");
    const created = await named`databases create by-name -o json`;
    expect(created.json).toMatchObject({ project: { id: shop } });
  });

  it("selects what is on no branch with the word of the service", async () => {
    const { status, json } =
      await session.mgmt`services list --project-id shop --branch-id unassigned -o json`;
    expect({ status, json }).toEqual({ status: 0, json: [] });
  });

  describe("among several resources to delete", () => {
    it("fails alone if nothing has it, with the names that are similar and without a request", async () => {
      const { mgmt, server } = session;
      const [big, bag] = [
        await server.engine.seed.project({ name: "big0" }),
        await server.engine.seed.project({ name: "bag1" }),
      ];
      const before = server.engine.requests.length;
      const { status, json, stderr } = await mgmt`projects delete bgi0 bag1 nobody --yes -o json`;
      expect(status).toBe(10);
      expect(json).toMatchObject([
        { id: "bgi0", status: "failed", error: { code: "name:not_found" } },
        { id: bag.id, status: "deleted" },
        { id: "nobody", status: "failed", error: { code: "name:not_found" } },
      ]);
      expect(stderr).toContain("Did you mean big0?");
      expect((await mgmt`projects get ${big.id}`).status).toBe(0);
      const deleted = server.engine.requests.slice(before).filter(({ method }) => method === "DELETE");
      expect(deleted.map(({ path }) => path)).toEqual([`/v1/projects/${bag.id}`]);
    });

    it("exits with 6 if nothing has any of them, in a dry run too", async () => {
      const { mgmt } = session;
      const all = await mgmt`projects delete bgi0 shpo --yes`;
      expect(all.status).toBe(6);
      expect(all.stderr).toMatch(/bgi0.*Did you mean big0\?.*shpo.*Did you mean shop\?/s);
      const planned = await mgmt`projects delete bgi0 big0 --dry-run`;
      expect({ status: planned.status, stdout: planned.stdout }).toEqual({ status: 6, stdout: "" });
      expect(planned.stderr).toContain("Did you mean big0?");
    });

    it("is shown as not found before the others are confirmed", async () => {
      const { id } = await session.server.engine.seed.project({ name: "confirmed" });
      const { status, stderr } = await runInProcess(["projects", "delete", "confirmed", "nobody"], {
        env: session.env,
        terminal: true,
        reply: (text) => (text.includes("Type delete 2") ? "delete 2\r" : undefined),
      });
      expect(status).toBe(10);
      expect(stderr).toMatch(/Project \(nobody\):\s+not found/);
      expect((await session.mgmt`projects get ${id}`).status).toBe(6);
    });
  });

  it("costs no request when it is an id", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    await mgmt`projects get ${shop}`;
    expect(server.engine.requests.length - before).toBe(1);
  });
});

describe("a branch whose name says no project", () => {
  it.each(["@feature/x", "main", "feature/x"])(
    "is refused with 3 if there is no default project: %s",
    async (name) => {
      const { status, stdout, errors } = await session.mgmt`branches get ${name} -o json`;
      expect({ status, stdout }).toEqual({ status: 3, stdout: "" });
      const { error } = errors[0] as { error: { code: string; message: string; hint: string } };
      expect(error.code).toBe("usage:missing");
      expect(error.message).toBe(`The project of the branch "${name}" is missing`);
      expect(error.hint).toContain(`PROJECT/@${name.replace("@", "")}`);
    },
  );

  it("is found in the project that is chosen on a terminal", async () => {
    const result = await runInProcess(["branches", "get", "@feature/x", "-o", "name"], {
      env: session.env,
      terminal: true,
      reply: (stderr) => (stderr.includes("Project of branch feature/x") ? "shop\r" : undefined),
    });
    expect(result).toMatchObject({ status: 0, stdout: `${feature}\n` });
  });
});
