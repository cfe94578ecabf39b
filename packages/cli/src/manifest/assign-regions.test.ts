import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { temporaryFolder } from "../../test/folders.js";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { useSession } from "../../test/terminal.js";

const frankfurt = "eu-central-1";
const root = temporaryFolder();
const session = useSession();
let catalog: string;
beforeAll(async () => {
  const { mgmt } = session;
  const project = (await mgmt`projects create shop --region ${frankfurt} --no-create-database -o name`)
    .stdout;
  catalog = (await mgmt`databases create catalog --project-id ${project.trim()} -o name`).stdout.trim();
  await session.server.engine.clock.advance(60_000);
});

const regionOf = ({ json }: Result): unknown => (json as { region: { id: string } }).region.id;

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
    const { stdout, stderr } = await plan(manifest);
    expect(stdout).toContain(`+ database bakery/main/plain\n    region: "eu-west-3"`);
    expect(stderr).toBe(
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
    const planRegions = async (databases: string): Promise<unknown> => {
      const { json } = await plan(
        `version: 1\nprojects:\n  kiosk:\n    branches: { main: { databases: ${databases} } }\n`,
        "-o",
        "json",
      );
      const { steps } = json as { steps: { path: string[]; fields: { region?: string } }[] };
      return steps.map(({ path, fields }) => `${path.at(-1) ?? ""} ${fields.region ?? "none"}`);
    };
    expect(await planRegions("{}")).toEqual(["kiosk us-east-1"]);
    expect(await planRegions("{ a: {} }")).toEqual(["kiosk us-east-1", "a us-east-1"]);
    expect(await planRegions(`{ a: { region: inherit } }`)).toEqual(["kiosk us-east-1", "a inherit"]);
    expect(await planRegions(`{ a: { region: ${frankfurt} }, b: {} }`)).toEqual([
      `kiosk ${frankfurt}`,
      `a ${frankfurt}`,
      `b ${frankfurt}`,
    ]);
    expect(
      await planRegions(`{ a: { region: eu-west-3 }, b: { region: ${frankfurt}, isDefault: true } }`),
    ).toEqual([`kiosk ${frankfurt}`, "a eu-west-3", `b ${frankfurt}`]);
    expect(await planRegions(`{ a: { region: eu-west-3 }, b: { region: ${frankfurt} }, c: {} }`)).toEqual([
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
