import { describe, expect, it } from "vitest";
import { runInProcess } from "../../test/in-process.js";
import { startCannedServer } from "../../test/canned-server.js";
import type { Result } from "../../test/result.js";

interface Terminal {
  columns?: number;
  env?: NodeJS.ProcessEnv;
  terminal?: boolean;
}

const list = async (
  group: string,
  items: readonly object[],
  { columns, env = {}, terminal = true }: Terminal = {},
  ...more: string[]
): Promise<Result> => {
  const body = { data: items, pagination: { nextCursor: null, hasMore: false } };
  const server = await startCannedServer(() => ({ body }));
  const width = columns === undefined ? {} : { COLUMNS: String(columns) };
  try {
    return await runInProcess([group, "list", ...more], {
      env: { ...server.env, NO_COLOR: "1", NO_PAGER: "1", ...width, ...env },
      terminal,
    });
  } finally {
    server.close();
  }
};

const id = (kind: string, letter = "a"): string => `${kind}_${letter.repeat(24)}`;
const database = (more: object = {}): object => ({
  id: id("db"),
  name: "reports",
  status: "ready",
  region: { id: "eu-central-1" },
  isDefault: false,
  project: { id: id("proj", "b") },
  createdAt: "2020-01-01T00:00:00.000Z",
  ...more,
});

describe("a table on a terminal", () => {
  it.each([20, 40, 60, 80, 120, 200])("does not break an id at %i columns", async (columns) => {
    const { stdout } = await list("databases", [database(), database()], { columns });
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    expect(lines[1]).toContain(id("db"));
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(Math.max(columns, id("db").length));
  });

  it("drops trailing columns that do not fit, and names them", async () => {
    const { stdout, stderr } = await list("databases", [database()], { columns: 80 });
    expect(stdout).toMatch(/^ID +NAME +STATUS +REGION +DEFAULT\n/);
    expect(stderr).toBe("Not shown, because the terminal is too narrow: project, created.\n");
    expect((await list("databases", [database()], { columns: 200 })).stderr).toBe("");
  });

  it("cuts a long name rather than all columns after it", async () => {
    const { stdout } = await list("projects", [{ id: id("proj"), name: "n".repeat(256) }], { columns: 80 });
    expect(stdout).toMatch(/^ID +NAME +REGION/);
    expect(stdout).toContain(`${"n".repeat(39)}…`);
  });

  it("cuts a name rather than dropping it where only the id has more space", async () => {
    const { stdout, stderr } = await list("databases", [database({ name: "monthly reports" })], {
      columns: 40,
    });
    expect(stdout).toBe(`${"ID".padEnd(id("db").length)}  NAME\n${id("db")}  monthly re…\n`);
    expect(stderr).toMatch(/^Not shown, .*: status, region, default, project, created\.\n$/);
  });

  it("includes the columns that --fields names", async () => {
    const { stdout } = await list(
      "databases",
      [database()],
      { columns: 20 },
      "--fields",
      "id,project.id,name",
    );
    expect(stdout).toMatch(/^ID +PROJECT\.ID +NAME\n/);
    expect(stdout).toContain(id("proj", "b"));
  });

  it("has a header and values with nothing but their emphasis on a terminal with colors", async () => {
    const items = [
      database(),
      database({ name: null, status: "failure" }),
      database({ name: "漢字", status: "new" }),
    ];
    const { stdout } = await list("databases", items, {
      columns: 60,
      env: { NO_COLOR: "", FORCE_COLOR: "1" },
    });
    const sgr =
      (on: number, off: number) =>
      (text: string): string =>
        `\u001b[${String(on)}m${text}\u001b[${String(off)}m`;
    const [bold, faint, green, yellow, red] = [sgr(1, 22), sgr(2, 22), sgr(32, 39), sgr(33, 39), sgr(31, 39)];
    expect(stdout.replaceAll(id("db"), "ID")).toBe(
      [
        `${bold("ID")}${" ".repeat(id("db").length)}${bold("NAME")}     ${bold("STATUS")}   ${bold("REGION")}`,
        `ID  reports  ${green("ready")}    eu-central-1`,
        `ID  ${faint("-")}        ${red("failure")}  eu-central-1`,
        `ID  漢字     ${yellow("new")}      eu-central-1`,
        "",
      ].join("\n"),
    );
  });

  it("shows times as people say them, and ISO times in data and without a terminal", async () => {
    const createdAt = new Date(Date.now() - 3 * 3_600_000).toISOString();
    const item = database({ createdAt });
    expect((await list("databases", [item], { columns: 200 })).stdout).toContain("3 hours ago");
    for (const [terminal, format] of [
      [false, "table"],
      [true, "json"],
      [true, "csv"],
    ] as const) {
      const { stdout } = await list("databases", [item], { terminal }, "-o", format);
      expect(stdout).toContain(createdAt);
    }
  });
});

describe("a table without a terminal", () => {
  it("has all columns and complete texts", async () => {
    const name = "n".repeat(256);
    const { stdout, stderr } = await list("databases", [database({ name })], {
      columns: 40,
      terminal: false,
    });
    expect(stdout).toContain(name);
    expect(stdout).toContain(id("proj", "b"));
    expect(stderr).toBe("");
  });
});

describe("a resource on a terminal", () => {
  it("has a value below its title if it is too long to be beside it", async () => {
    const url = `https://api.example.com/v1/${id("db")}`;
    const body = { data: database({ isDefault: true, url, source: null }) };
    const server = await startCannedServer(() => ({ body }));
    const { stdout } = await runInProcess(["databases", "get", id("db")], {
      env: { ...server.env, NO_COLOR: "1", COLUMNS: "39" },
      terminal: true,
    });
    server.close();
    // The age of a time is left out where it does not fit.
    expect(stdout).toBe(
      `id       ${id("db")}\nname     reports\nstatus   ready\nregion   eu-central-1\ndefault  yes\n` +
        `project  ${id("proj", "b")}\ncreated  2020-01-01T00:00:00.000Z\nurl\n  ${url}\n`,
    );
  });
});

describe("the usage of a database", () => {
  const used = 0.007118715904653072;
  const usage = {
    period: { start: "2026-11-01T00:00:00.000Z", end: "2026-11-23T00:00:00.000Z" },
    metrics: { operations: { used: 1234567, unit: "ops" }, storage: { used, unit: "GiB" } },
    generatedAt: "2026-11-23T00:00:00.000Z",
  };
  const print = async (...more: string[]): Promise<string> => {
    const server = await startCannedServer(() => ({ body: usage }));
    const { stdout } = await runInProcess(["databases", "usage", "get", id("db"), ...more], server);
    server.close();
    return stdout;
  };

  it("is rounded for people, with the unit beside the title", async () => {
    expect(await print()).toMatch(/\noperations +1234567\nstorage \(GiB\) +0\.007119\n/);
  });

  it("is exact and complete in data", async () => {
    expect(JSON.parse(await print("-o", "json"))).toEqual(usage);
    expect(await print("-o", "csv")).toBe(
      "period.start,period.end,metrics.operations.used,metrics.operations.unit,metrics.storage.used,metrics.storage.unit,generatedAt\n" +
        `${usage.period.start},${usage.period.end},1234567,ops,${String(used)},GiB,${usage.generatedAt}\n`,
    );
  });
});

describe("a table of several pages", () => {
  it("is printed page by page, with one header and the columns of the first page", async () => {
    let requests = 0;
    const names = ["a", "longer name", "b"];
    const server = await startCannedServer(() => {
      const name = names[requests++];
      const nextCursor = requests < names.length ? String(requests) : null;
      const item = { id: id("proj"), name, defaultRegion: "eu" };
      return { body: { data: [item], pagination: { nextCursor, hasMore: nextCursor !== null } } };
    });
    const { stdout } = await runInProcess(["projects", "list", "--all"], { env: server.env });
    server.close();
    expect(stdout.replaceAll(id("proj"), "ID")).toBe(
      [
        `${"ID".padEnd(id("proj").length)}  NAME  REGION  LOGICAL ID  CREATED`,
        "ID  a     eu      -           -",
        "ID  longer name  eu      -           -",
        "ID  b     eu      -           -",
        "",
      ].join("\n"),
    );
  });

  it("stays within the terminal on later pages, whose longer texts are cut", async () => {
    let requests = 0;
    const server = await startCannedServer(() => {
      const name = requests++ === 0 ? "a" : "n".repeat(100);
      const pagination = { nextCursor: requests < 2 ? "next" : null, hasMore: requests < 2 };
      return { body: { data: [{ id: id("proj"), name, defaultRegion: "eu" }], pagination } };
    });
    const env = { ...server.env, NO_COLOR: "1", NO_PAGER: "1", COLUMNS: "80" };
    const { stdout } = await runInProcess(["projects", "list", "--all"], { env, terminal: true });
    server.close();
    const lines = stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(3);
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(80);
    expect(lines[2]).toMatch(/ nnn…  eu /);
  });

  it("keeps ids on later pages whole, which move the rest of their rows", async () => {
    let requests = 0;
    const server = await startCannedServer(() => {
      const logicalId = requests++ === 0 ? null : "l".repeat(60);
      const pagination = { nextCursor: requests < 2 ? "next" : null, hasMore: requests < 2 };
      return { body: { data: [{ id: id("proj"), name: "名", logicalId }], pagination } };
    });
    const last = async (columns: string): Promise<string | undefined> => {
      requests = 0;
      const env = { ...server.env, NO_COLOR: "1", NO_PAGER: "1", COLUMNS: columns };
      const { stdout } = await runInProcess(["projects", "list", "--all"], { env, terminal: true });
      return stdout.trimEnd().split("\n").at(-1);
    };
    expect(await last("200")).toMatch(/  名    -       l{60}  -$/);
    expect(await last("80")).toMatch(/  名    -       l{60}  -$/);
    server.close();
  });

  it("has a line for each of many rows, and only one header", async () => {
    const names = Array.from({ length: 1_234 }, (_, index) => `name ${String(index)}`);
    const { stdout } = await list(
      "projects",
      names.map((name) => ({ id: id("proj"), name, defaultRegion: "eu" })),
    );
    const [head, ...rows] = stdout.trimEnd().split("\n");
    expect(head).toMatch(/^ID +NAME +REGION/);
    expect(rows.map((row) => row.split(/ {2,}/)[1])).toEqual(names);
    expect(new Set(rows.map((row) => row.lastIndexOf("  eu  "))).size).toBe(1);
  });
});
