import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCannedServer } from "../../test/canned-server.js";
import { inProcess, runInProcess } from "../../test/in-process.js";
import { type Session, startSession } from "../../test/terminal.js";

let session: Session;
let shop: string;
let quoted: string;
const oddName = `it's "a", $(b)\nc`;
beforeAll(async () => {
  session = await startSession();
  shop = (await session.server.engine.seed.project({ name: "shop", region: "eu-west-3" })).id;
  quoted = (await session.server.engine.seed.project({ name: oddName })).id;
});
afterAll(() => session.close());

describe("--output csv", () => {
  it("has a header with the paths of the fields, and quotes where necessary", async () => {
    const { stdout, status } = await session.mgmt`projects list -o csv --fields id,name,defaultRegion`;
    expect(status).toBe(0);
    const rows = ["id,name,defaultRegion", `${shop},shop,eu-west-3`, `${quoted},"it's ""a"", $(b)\nc",`, ""];
    expect(stdout).toBe(rows.join("\n"));
  });

  it("has a header for an empty list", async () => {
    const other = session.as(await session.server.engine.tokens.otherUser());
    expect((await other`projects list -o csv`).stdout).toBe("id,name,defaultRegion,logicalId,createdAt\n");
  });

  it("prints one resource as one row", async () => {
    const { stdout } = await session.mgmt`projects get ${shop} -o csv --fields name,workspace.id`;
    expect(stdout).toBe(`name,workspace.id\nshop,${session.server.engine.defaults.workspace.id}\n`);
  });
});

describe("--output ndjson", () => {
  it("prints one line of JSON for each item, and errors as lines of JSON", async () => {
    const { stdout } = await session.mgmt`projects list --all -o ndjson`;
    const lines = stdout.trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { id: string }).id)).toEqual([shop, quoted]);
    const { errors, stdout: nothing } = await session.mgmt`projects get nope -o ndjson`;
    expect(nothing).toBe("");
    expect(errors.at(-1)).toMatchObject({ error: { code: "name:not_found" } });
  });

  it("prints the first page before the second one is requested", async () => {
    const { server, env } = session;
    const before = server.engine.requests.length;
    let requestsAtFirstByte: number | undefined;
    await inProcess({
      env,
      interruptWhen: () => {
        requestsAtFirstByte ??= server.engine.requests.length - before;
        return false;
      },
    })`projects list --all --limit 1 -o ndjson`;
    expect(requestsAtFirstByte).toBe(1);
  });
});

describe("--output name", () => {
  it("prints ids that other commands accept", async () => {
    expect((await session.mgmt`projects list -o name`).stdout).toBe(`${shop}\n${quoted}\n`);
    expect((await session.mgmt`projects get ${shop} -o name`).stdout).toBe(`${shop}\n`);
  });
});

describe("--output env", () => {
  it("sets DATABASE_URL to the connection string, and the address in the API to DATABASE_API_URL", async () => {
    const { mgmt, server, close } = await startSession();
    const shop = (await server.engine.seed.project()).id;
    const variables = (text: string): Record<string, string | undefined> =>
      Object.fromEntries([...text.matchAll(/^(\w+)='(.*)'$/gm)].map(([, name = "", value]) => [name, value]));
    const created = variables((await mgmt`databases create reports --project-id ${shop} -o env`).stdout);
    expect(created["DATABASE_URL"]).toBe(created["DATABASE_CONNECTION_CONNECTION_STRING"]);
    expect(created["DATABASE_URL"]).toMatch(/^postgres:/);
    const id = created["DATABASE_ID"] ?? "";
    expect(created["DATABASE_API_URL"]).toBe(`${server.baseUrl}/v1/databases/${id}`);
    expect(created["DATABASE_PROJECT_API_URL"]).toBe(`${server.baseUrl}/v1/projects/${shop}`);

    const safeVariables = variables((await mgmt`databases get ${id} -o env`).stdout);
    expect(safeVariables["DATABASE_API_URL"]).toBe(created["DATABASE_API_URL"]);
    expect(Object.keys(safeVariables)).not.toContain("DATABASE_URL");
    expect(Object.values(safeVariables)).not.toContain("********");
    const allVariables = variables((await mgmt`databases get ${id} -o env --show-secrets`).stdout);
    expect(allVariables["DATABASE_URL"]).toMatch(/^postgresql:\/\/role_/);
    const project = variables((await mgmt`projects create another -o env`).stdout);
    expect(project["DATABASE_URL"]).toBe(project["PROJECT_DATABASE_CONNECTION_STRING"]);
    expect(project["PROJECT_API_URL"]).toContain("/v1/projects/");
    const connection = variables((await mgmt`databases connections create ${id} web -o env`).stdout);
    expect(connection["DATABASE_URL"]).toBe(connection["CONNECTION_CONNECTION_STRING"]);
    await close();
  });

  it("sets no variable whose name ends in _URL to an address in the API, but _API_URL", async () => {
    const { mgmt } = session;
    const lines = [`projects get ${shop}`, "whoami", "me get"];
    const [{ id: database }] = (await mgmt`databases list -o json`).json as [{ id: string }];
    const [{ id: connection }] = (await mgmt`connections list -o json`).json as [{ id: string }];
    const [{ id: branch }] = (await mgmt`projects branches list ${shop} -o json`).json as [{ id: string }];
    lines.push(`databases get ${database}`, `connections get ${connection}`, `branches get ${branch}`);
    lines.push(`api databases/${database}`, `workspaces get ${session.server.engine.defaults.workspace.id}`);
    for (const line of lines) {
      const { status, stdout } = await runInProcess([...line.split(" "), "-o", "env"], { env: session.env });
      expect({ line, status }).toEqual({ line, status: 0 });
      const wrong = stdout.split("\n").filter((line) => /_URL='http/.test(line) && !/_API_URL=/.test(line));
      expect({ line, wrong }).toEqual({ line, wrong: [] });
    }
  });

  it.each([
    { type: "database", URL: "http://127.0.0.1/v1" },
    { type: "database", url: "http://127.0.0.1/v1", connectionString: "http://127.0.0.1/v1" },
    { type: "DATABASE", url: null, connectionString: "********" },
  ])("never sets DATABASE_URL to anything but a connection string: %j", async (body) => {
    const canned = await startCannedServer(() => ({ body }));
    const { stdout } = await runInProcess(["api", "/v1/other", "-o", "env", "--show-secrets"], {
      env: canned.env,
    });
    expect(stdout).toMatch(/^DATABASE_API_URL=/m);
    expect(stdout).not.toMatch(/^DATABASE_URL=/m);
    canned.close();
  });

  it("refuses a list before it sends a request", async () => {
    const before = session.server.engine.requests.length;
    const { status, stderr } = await session.mgmt`projects list -o env`;
    expect(status).toBe(2);
    expect(stderr).toContain("--output csv or ndjson");
    expect(session.server.engine.requests).toHaveLength(before);
  });
});

describe("--fields", () => {
  it("selects and orders fields in every format", async () => {
    const run = async (format: string) =>
      (await session.mgmt`projects get ${shop} --fields name,workspace.id -o ${format}`).stdout;
    const { id } = session.server.engine.defaults.workspace;
    expect(JSON.parse(await run("json"))).toEqual({ name: "shop", workspace: { id } });
    expect(await run("yaml")).toBe(`name: shop\nworkspace:\n  id: ${id}\n`);
    expect(await run("env")).toBe(`MGMT_NAME='shop'\nMGMT_WORKSPACE_ID='${id}'\n`);
    expect(await run("table")).toBe(`name          shop\nworkspace.id  ${id}\n`);
  });
});

describe("--query", () => {
  it("prints texts as lines, without quotes, and JSON where it is asked for", async () => {
    const { mgmt } = session;
    expect((await mgmt`projects list --query ${"[?name=='shop'].id"}`).stdout).toBe(`${shop}\n`);
    expect((await mgmt`projects get ${shop} --query name`).stdout).toBe("shop\n");
    expect((await mgmt`projects get ${shop} --query name -o json`).stdout).toBe('"shop"\n');
    expect((await mgmt`projects list --query ${"length(@)"}`).stdout).toBe("2\n");
    expect((await mgmt`projects list --query ${"[].{n: name}"} -o json`).json).toEqual([
      { n: "shop" },
      { n: oddName },
    ]);
    expect((await mgmt`projects list --query ${"[0].{n: name, r: defaultRegion}"}`).stdout).toBe(
      "n  shop\nr  eu-west-3\n",
    );
  });

  it("sees all pages with --all", async () => {
    const { stdout } = await session.mgmt`projects list --all --limit 1 --query ${"length(@)"} -o json`;
    expect(stdout).toBe("2\n");
  });

  it("refuses an invalid expression before it sends a request", async () => {
    const before = session.server.engine.requests.length;
    const { status, stderr } = await session.mgmt`projects list --query ${"[?"}`;
    expect(status).toBe(2);
    expect(stderr).toContain("JMESPath");
    expect(session.server.engine.requests).toHaveLength(before);
  });
});

describe("a name with quotes, line breaks, emoji, right-to-left text and an escape sequence", () => {
  const name = 'it\'s "a", \\ $(b) `c`\nd\t👩‍👩‍👧 שלום \u001b[2J';
  let id: string;
  beforeAll(async () => {
    id = (await session.server.engine.seed.project({ name })).id;
  });

  it("takes one line in the formats for people and arguments, without the escape sequence", async () => {
    for (const format of ["table", "name"]) {
      const query = "{name: name}";
      const { stdout: text } = await session.mgmt`projects get ${id} --query ${query} -o ${format}`;
      expect(text.trimEnd()).not.toContain("\n");
      expect(text).not.toContain("\u001b");
      expect(text).toContain("👩‍👩‍👧 שלום");
    }
  });
});
