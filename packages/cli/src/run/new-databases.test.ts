import { beforeAll, describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import type { Result } from "../../test/result.js";
import { useSession } from "../../test/terminal.js";

const frankfurt = "eu-central-1";
const session = useSession();
let project: string;
let catalog: string;
let american: string;
beforeAll(async () => {
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

  it.each([403, 404, 422])("is left to the service if the project cannot be read: %i", async (status) => {
    session.server.engine.faults.add({ operation: "projects.get", status, times: 1 });
    expect(regionOf(await session.mgmt`databases create unread --project-id ${project} -o json`)).toBe(
      frankfurt,
    );
  });

  it("is asked for again for the next line after a failure", async () => {
    const { faults } = session.server.engine;
    faults.add({ operation: "projects.get", status: 400, times: 1 });
    const line = `databases create --project-id ${project} --no-connection --ndjson - -o json`.split(" ");
    const stdin = '{"name":"unlucky"}\n{"name":"lucky"}\n';
    const { json } = await runInProcess(line, { ...session, stdin });
    expect(json).toMatchObject([
      { status: "failed" },
      { status: "created", resource: { region: { id: frankfurt } } },
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
