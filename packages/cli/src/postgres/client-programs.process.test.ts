import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { delimiter, join, relative } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { resolveForeignSource } from "../commands/db/external-source.js";
import type { Context } from "../input/context.js";
import { requireClientProgram } from "./client-programs.js";
import { buildClientEnvironment } from "./connection-environment.js";
import { temporaryFolder } from "../../test/folders.js";

const root = temporaryFolder();
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(root, "programs-"));
});

/** Installs programs that only say their version. */
const install = (name: string, version: string, program = "pg_dump"): string => {
  const path = join(folder, name);
  mkdirSync(path, { recursive: true });
  writeFileSync(join(path, program), `#!/bin/sh\necho '${program} (PostgreSQL) ${version} (Debian)'\n`, {
    mode: 0o755,
  });
  return path;
};

const find = (path: readonly string[], major?: number, patterns: readonly string[] = []) =>
  requireClientProgram(
    "pg_dump",
    { env: { PATH: path.join(delimiter) } },
    major === undefined ? undefined : { version: `${String(major)}.1`, major },
    patterns,
  );

describe.skipIf(process.platform === "win32")("the client programs of Postgres", () => {
  it("are taken from PATH first if the version of the server does not matter", async () => {
    const [first, second] = [install("a", "16.2"), install("b", "18.1")];
    install("system/17/bin", "17.0");
    expect(await find([first, second], undefined, [join(folder, "system/*/bin")])).toEqual({
      name: "pg_dump",
      path: join(first, "pg_dump"),
      version: "16.2",
      major: 16,
    });
  });

  it.each([
    [14, "a"],
    [15, "system/15/bin"],
    [16, "system/17/bin"],
    [17, "system/17/bin"],
    [18, "b"],
  ])("have the version of the server, or are the oldest that is newer: %d", async (major, expected) => {
    const path = [install("b", "18.1"), install("a", "14.9"), install("c", "14.10")];
    for (const version of ["9", "15", "17", "18"]) install(`system/${version}/bin`, `${version}.0`);
    expect((await find(path, major, [join(folder, "system/*/bin")])).path).toBe(
      join(folder, expected, "pg_dump"),
    );
  });

  it("are taken from the folder of the server that mgmt dev uses", async () => {
    const server = install("server", "18.4");
    const find18 = (folder: string) =>
      requireClientProgram(
        "pg_dump",
        { env: { PATH: install("a", "14.9"), MGMT_POSTGRES: folder } },
        { version: "18.1", major: 18 },
        [],
      );
    expect((await find18(server)).path).toBe(join(server, "pg_dump"));
    for (const other of ["system", "package", relative(process.cwd(), server), ""]) {
      await expect(find18(other)).rejects.toMatchObject({ code: "program:too_old" });
    }
  });

  it("are refused if all are older than the server, and the newest is named", async () => {
    const path = [install("a", "14.9"), install("b", "16.2")];
    await expect(find(path, 18)).rejects.toMatchObject({
      code: "program:too_old",
      message: `${join(folder, "b/pg_dump")} is version 16.2, which is older than the database's Postgres 18.1`,
      hint: expect.stringContaining("postgresql-client-18"),
    });
  });

  it("are not taken from a folder relative to the working directory, which may be somebody else's repository", async () => {
    const path = [relative(process.cwd(), install("a", "18.0"))];
    await expect(find(path)).rejects.toMatchObject({ code: "program:not_found" });
  });

  it("are passed over if they do not run", async () => {
    const broken = install("a", "18.0");
    writeFileSync(join(broken, "pg_dump"), "#!/bin/sh\nexit 1\n");
    const plain = install("b", "18.0");
    writeFileSync(join(plain, "pg_dump"), "not a program", { mode: 0o644 });
    const works = install("c", "18.3");
    expect((await find([broken, plain, join(folder, "absent"), works])).version).toBe("18.3");
  });

  const foreign = {
    PATH: "/bin",
    PG_COLOR: "always",
    PSQL_PAGER: "less",
    MGMT_TOKEN: "t",
    MGMT_X: "x",
    ...Object.fromEntries(
      [
        ...[
          "PGHOSTADDR",
          "PGSERVICE",
          "PGSERVICEFILE",
          "PGPASSFILE",
          "PGOPTIONS",
          "PGAPPNAME",
          "PGGSSENCMODE",
        ],
        ...[
          "PGSSLROOTCERT",
          "PGSSLCERT",
          "PGSSLKEY",
          "PGSSLNEGOTIATION",
          "PGREQUIREAUTH",
          "PGCHANNELBINDING",
        ],
        ...["PGCLIENTENCODING", "PGCONNECT_TIMEOUT", "PGTZ", "PGNEWER", "pgoptions"],
      ].map((name) => [name, "of the user"]),
    ),
  };
  const kept = { PATH: "/bin", PG_COLOR: "always", PSQL_PAGER: "less" };
  const set = (env: NodeJS.ProcessEnv): object =>
    Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined));

  it("get the connection, and neither tokens of this program nor variables of libpq", () => {
    const access = {
      host: "db.example.com",
      port: 5433,
      user: "u",
      password: "p",
      sslMode: "require",
      isPooled: false,
    } as const;
    expect(set(buildClientEnvironment(foreign, access))).toEqual({
      ...kept,
      PGHOST: "db.example.com",
      PGPORT: "5433",
      PGUSER: "u",
      PGPASSWORD: "p",
      PGDATABASE: "postgres",
      PGSSLMODE: "require",
    });
  });

  it("get of the variables of libpq only the certificates for another server, and not the variable with its password", async () => {
    const source = async (OLD_URL: string) =>
      resolveForeignSource({ sourceEnv: "OLD_URL" }, {
        env: { ...foreign, PGPASSWORD: "of the user", OLD_URL },
      } as Partial<Context> as Context);
    const connection = {
      ...{ PGHOST: "old.example.com", PGUSER: "u", PGDATABASE: "shop", PGSSLMODE: "require" },
      ...{ PGGSSENCMODE: "disable", PGSSLROOTCERT: "of the user" },
    };
    const { args, env } = await source("postgresql://u:p@old.example.com/shop?sslmode=require");
    expect(args).toEqual([]);
    expect(set(env)).toEqual({ ...kept, ...connection, PGPASSWORD: "p" });
    expect(set((await source("postgresql://u@old.example.com/shop")).env)).toEqual({
      ...kept,
      ...connection,
    });
  });
});
