import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { type Session, startSession } from "../../test/terminal.js";

const frankfurt = "eu-central-1";
const root = temporaryFolder();
let session: Session;
let project: string;
let catalog: string;
let american: string;
beforeAll(async () => {
  session = await startSession();
  const { mgmt } = session;
  project = (
    await mgmt`projects create shop --region ${frankfurt} --no-create-database -o name`
  ).stdout.trim();
  american = (
    await mgmt`projects create diner --region us-east-1 --no-create-database -o name`
  ).stdout.trim();
  catalog = (await mgmt`databases create catalog --project-id ${project} -o name`).stdout.trim();
  await session.server.engine.clock.advance(60_000);
});
afterAll(() => session.close());

const regionOf = ({ json }: Result): unknown => (json as { region: { id: string } }).region.id;
const bodiesOf = ({ json }: Result): unknown[] =>
  (json as { body?: unknown; url: string }[])
    .filter(({ url }) => url.endsWith("databases"))
    .map(({ body }) => body);

describe("the region of a new database", () => {
  it("is the one of the project", async () => {
    const { mgmt } = session;
    expect(regionOf(await mgmt`databases create one --project-id ${project} -o json`)).toBe(frankfurt);
    expect(regionOf(await mgmt`projects databases create ${project} two -o json`)).toBe(frankfurt);
    expect(
      regionOf(await mgmt`databases ensure three --logical-id three --project-id ${project} -o json`),
    ).toBe(frankfurt);
  });

  it("is the one of the project's default database if the project has no region", async () => {
    const { mgmt } = session;
    const { id } = await session.server.engine.seed.project();
    await mgmt`databases create first --project-id ${id} --region eu-west-3 --is-default -o json`;
    expect(regionOf(await mgmt`databases create second --project-id ${id} -o json`)).toBe("eu-west-3");
  });

  it("is chosen by the service for a project without a region and a default database", async () => {
    const { mgmt } = session;
    const { id } = await session.server.engine.seed.project();
    expect(regionOf(await mgmt`databases create only --project-id ${id} -o json`)).toBe("us-east-1");
  });

  it.each([
    ["source", ["--source-type", "database", "--source-database-id"]],
    ["former name of the source", ["--from-database-id"]],
  ])("is the one of the database that it copies, also in another project: %s", async (_, flags) => {
    const line = ["databases", "create", "copy", "--project-id", american, ...flags, catalog, "-o", "json"];
    expect(regionOf(await runInProcess(line, session))).toBe(frankfurt);
  });

  it("is printed by --dry-run, which sends only GETs", async () => {
    const { mgmt, server } = session;
    const before = server.engine.requests.length;
    const planned = await mgmt`databases create one --project-id ${project} --dry-run`;
    expect(bodiesOf(planned)).toMatchObject([{ region: frankfurt }]);
    const ensured = await mgmt`databases ensure x --logical-id x --project-id ${project} --dry-run`;
    expect(bodiesOf(ensured)).toMatchObject([{ region: frankfurt }]);
    const methods = server.engine.requests.slice(before).map(({ method }) => method);
    expect(new Set(methods)).toEqual(new Set(["GET"]));
  });

  it("is left to the service by a dry run without a credential", async () => {
    const line = ["databases", "create", "one", "--project-id", project, "--dry-run"];
    const planned = await runInProcess(line, { env: { MGMT_BASE_URL: session.server.baseUrl } });
    expect(bodiesOf(planned)).toMatchObject([{ region: "inherit" }]);
  });

  it("is filled in for every line of a file that has none, with few requests", async () => {
    const { server } = session;
    const before = server.engine.requests.length;
    const stdin = [
      { name: "a" },
      { name: "b" },
      { name: "c", source: { type: "database", databaseId: catalog } },
      { name: "d", region: "eu-west-3" },
    ]
      .map((each) => JSON.stringify(each))
      .join("\n");
    const line = [
      "databases",
      "create",
      "--project-id",
      project,
      "--no-connection",
      "--ndjson",
      "-",
      "-o",
      "json",
    ];
    const { status, json, errors } = await runInProcess(line, { ...session, stdin });
    expect(status).toBe(0);
    expect(
      (json as { resource: { region: { id: string } } }[]).map(({ resource }) => resource.region.id),
    ).toEqual([frankfurt, frankfurt, frankfurt, "eu-west-3"]);
    expect(errors).toContainEqual({
      notice: {
        code: "region:other",
        message: `Line 4: The database d is created in eu-west-3, but project shop is in ${frankfurt}: its data leaves that region.`,
        region: "eu-west-3",
        expected: frankfurt,
        line: 4,
      },
    });
    const reads = server.engine.requests.slice(before).filter(({ method }) => method === "GET");
    expect(reads.map(({ path }) => path).sort()).toEqual([
      `/v1/databases/${catalog}`,
      `/v1/projects/${project}`,
    ]);
  });

  it("is left as it is in the request of a project that does not exist", async () => {
    const { status, stderr } = await session.mgmt`databases create x --project-id proj_cnothinghere1`;
    expect({ status, stderr }).toEqual({ status: 6, stderr: expect.stringContaining("project:not_found") });
  });
});

describe("a region other than that of the project or the source", () => {
  const notice = (what: string, region: string, home: string): object => ({
    notice: {
      code: "region:other",
      message: `${what} is created in ${region}, but ${home} is in ${frankfurt}: its data leaves that region.`,
      region,
      expected: frankfurt,
    },
  });

  it("is used, and a notice says that data leaves the region", async () => {
    const { mgmt } = session;
    const created = await mgmt`databases create far --project-id ${project} --region us-east-1 -o json`;
    expect(regionOf(created)).toBe("us-east-1");
    expect(created.errors).toContainEqual(notice("The database far", "us-east-1", "project shop"));
  });

  it("is noticed for a copy that inherits the region of another project", async () => {
    const { mgmt } = session;
    const copied =
      await mgmt`databases create moved --project-id ${american} --region inherit --source-type database --source-database-id ${catalog} -o json`;
    expect(regionOf(copied)).toBe("us-east-1");
    expect(copied.errors).toContainEqual(notice("The database moved", "us-east-1", "database catalog"));
  });

  it("is not mentioned if it is the same or if ensure creates nothing", async () => {
    const { mgmt } = session;
    const same = await mgmt`databases create near --project-id ${project} --region ${frankfurt} -o json`;
    expect(same.stderr).not.toContain("region:other");
    const ensure = () =>
      mgmt`databases ensure far --logical-id far --project-id ${project} --region us-east-1 -o json`;
    expect((await ensure()).stderr).toContain("region:other");
    expect((await ensure()).stderr).not.toContain("region:other");
  });

  it("is noticed by a dry run", async () => {
    const { mgmt } = session;
    const { errors } =
      await mgmt`databases create far --project-id ${project} --region us-east-1 --dry-run -o json`;
    expect(errors).toContainEqual(notice("The database far", "us-east-1", "project shop"));
  });
});

describe("the region of a database in a manifest", () => {
  const plan = async (manifest: string, ...more: string[]): Promise<Result> => {
    const folder = mkdtempSync(join(root, "region-"));
    writeFileSync(join(folder, "mgmt.yaml"), manifest);
    return runInProcess(["plan", ...more], { env: session.env, cwd: folder });
  };
  const regionsIn = ({ json }: Result): unknown[] =>
    (json as { steps: { resource: string; path: string[]; fields: { region?: string } }[] }).steps
      .filter(({ resource }) => resource === "database")
      .map(({ path, fields }) => [path.at(-1), fields.region]);

  it("is that of the source, or else of the project, and the plan shows it", async () => {
    const manifest = `version: 1
projects:
  bakery:
    region: eu-west-3
    branches:
      main:
        databases:
          plain: {}
          near: { source: { type: database, databaseId: { database: plain } } }
          far: { region: us-east-1 }
          copy: { source: { type: database, databaseId: ${catalog} } }
`;
    expect(regionsIn(await plan(manifest, "-o", "json"))).toEqual([
      ["plain", "eu-west-3"],
      ["far", "us-east-1"],
      ["copy", frankfurt],
      ["near", "eu-west-3"],
    ]);
    const shown = await plan(manifest);
    expect(shown.stdout).toContain(`+ database bakery/main/plain\n    region: "eu-west-3"`);
    expect(shown.stderr).toBe(
      "database bakery/main/far is created in us-east-1, but project bakery is in eu-west-3: its data leaves that region.\n",
    );
  });

  it("is that of the default database of a project without a region", async () => {
    const manifest = `version: 1
projects:
  kiosk:
    branches:
      main:
        databases:
          catalog: { isDefault: true, region: ${frankfurt} }
          reports: {}
`;
    expect(regionsIn(await plan(manifest, "-o", "json"))).toEqual([
      ["catalog", frankfurt],
      ["reports", frankfurt],
    ]);
  });

  it("is shown for a project that has none: that of its databases, or else the default of the service", async () => {
    const shown = async (databases: string): Promise<unknown> => {
      const { json } = await plan(
        `version: 1\nprojects:\n  kiosk:\n    branches: { main: { databases: ${databases} } }\n`,
        "-o",
        "json",
      );
      const { steps } = json as { steps: { path: string[]; fields: { region?: string } }[] };
      return steps.map(({ path, fields }) => `${path.at(-1) ?? ""} ${fields.region ?? "none"}`);
    };
    expect(await shown("{}")).toEqual(["kiosk us-east-1"]);
    expect(await shown("{ a: {} }")).toEqual(["kiosk us-east-1", "a us-east-1"]);
    expect(await shown(`{ a: { region: inherit } }`)).toEqual(["kiosk us-east-1", "a inherit"]);
    expect(await shown(`{ a: { region: ${frankfurt} }, b: {} }`)).toEqual([
      `kiosk ${frankfurt}`,
      `a ${frankfurt}`,
      `b ${frankfurt}`,
    ]);
    expect(await shown(`{ a: { region: eu-west-3 }, b: { region: ${frankfurt}, isDefault: true } }`)).toEqual(
      [`kiosk ${frankfurt}`, "a eu-west-3", `b ${frankfurt}`],
    );
    expect(await shown(`{ a: { region: eu-west-3 }, b: { region: ${frankfurt} }, c: {} }`)).toEqual([
      "kiosk none",
      "a eu-west-3",
      `b ${frankfurt}`,
      "c us-east-1",
    ]);
  });

  it("is what the service then has", async () => {
    const folder = mkdtempSync(join(root, "region-"));
    writeFileSync(
      join(folder, "mgmt.yaml"),
      `version: 1\nprojects: { pantry: { branches: { main: { databases: { a: { region: ${frankfurt} } }, services: { web: {} } } } } }`,
    );
    const at = { env: session.env, cwd: folder };
    expect((await runInProcess(["plan"], at)).stdout).toContain(
      `+ project pantry\n    region: "${frankfurt}"\n`,
    );
    expect((await runInProcess(["apply"], at)).status).toBe(0);
    const project = await runInProcess(["projects", "get", "pantry", "-o", "json"], at);
    expect(project.json).toMatchObject({ defaultRegion: frankfurt });
    expect(regionOf(await runInProcess(["services", "get", "pantry/web", "-o", "json"], at))).toBe(frankfurt);
    expect((await runInProcess(["plan"], at)).stdout).toBe("No changes.\n");
  });

  it("is that of the default database that an existing project has", async () => {
    const { mgmt } = session;
    const { stdout } = await mgmt`projects create stand --logical-id stand --no-create-database -o name`;
    await mgmt`databases create own --is-default --region ${frankfurt} --project-id ${stdout.trim()} -o json`;
    const manifest = `version: 1
projects:
  stand:
    branches:
      main:
        databases:
          reports: {}
`;
    expect(regionsIn(await plan(manifest, "-o", "json"))).toEqual([["reports", frankfurt]]);
  });

  it("is used by apply, whose result shows it, also for a copy in another project", async () => {
    const folder = mkdtempSync(join(root, "region-"));
    const manifest = `version: 1
projects:
  deli:
    region: ${frankfurt}
    branches:
      main:
        databases:
          plain: {}
  snack:
    region: us-east-1
    branches:
      main:
        databases:
          copy: { source: { type: database, databaseId: { project: deli, database: plain } } }
`;
    writeFileSync(join(folder, "mgmt.yaml"), manifest);
    const at = { env: session.env, cwd: folder };
    const applied = await runInProcess(["apply", "-o", "json"], at);
    expect(applied.status).toBe(0);
    const ids = (applied.json as { resource: string; id: string }[]).filter(
      ({ resource }) => resource === "database",
    );
    for (const { id } of ids) {
      expect(regionOf(await runInProcess(["databases", "get", id, "-o", "json"], at))).toBe(frankfurt);
    }
    expect(ids).toMatchObject([{ region: frankfurt }, { region: frankfurt }]);
    expect((await runInProcess(["plan"], at)).stdout).toBe("No changes.\n");
  });
});
