import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Mgmt } from "../../../test/result.js";
import { type Place, type Up, usePlace } from "../../../test/commands/preview/place.js";

const place = usePlace();
let programs: string;
beforeEach(() => {
  programs = join(place.base, "programs");
  mkdirSync(programs);
});

/** Installs a program of Postgres that says its version, logs its arguments, and otherwise runs a script. */
const install = (name: string, script: string, version = "18.4"): void =>
  writeFileSync(
    join(programs, name),
    `#!/bin/sh
cd '${programs}'
if [ "$1" = --version ]; then echo "${name} (PostgreSQL) ${version}"; exit; fi
env | grep ^MGMT_ >> log
echo "$*" >> log
${script}
`,
    { mode: 0o755 },
  );

const withPrograms = (setup: Parameters<Place["mgmtIn"]>[2] = {}): Mgmt =>
  place.mgmtIn(place.folder, { PATH: `${programs}:/usr/bin:/bin` }, setup);

interface Printed {
  differs: boolean;
  patch: string;
}

/** Creates a preview, and programs that dump these texts. */
const addSchemas = async (ofSource: string, ofPreview: string): Promise<Up> => {
  const up = (await place.mgmt`preview up --branch a -o json`).json as Up;
  const { database } = { database: place.session.server.engine.rows.databases.get(up.databaseId) };
  if (!database) throw new Error("The preview exists");
  writeFileSync(join(programs, "source.sql"), ofSource);
  writeFileSync(join(programs, `${new URL(up.connectionString).username}.sql`), ofPreview);
  install("psql", "echo 18.1");
  install("pg_dump", 'cat "$PGUSER.sql" 2>/dev/null || cat source.sql');
  return up;
};

const table = "CREATE TABLE public.notes (\n    id integer\n);\n";

describe.skipIf(process.platform === "win32")("mgmt preview diff", () => {
  it("prints what the preview changes as a unified diff, and exits with 1 if asked", async () => {
    const { databaseId, connectionString } = await addSchemas(
      table,
      table.replace("id integer", "id bigint"),
    );
    const patch = `--- shop\n+++ a\n@@ -1,3 +1,3 @@\n CREATE TABLE public.notes (\n-    id integer\n+    id bigint\n );\n`;
    const { status, stdout } = await withPrograms()`preview diff --branch a`;
    expect({ status, stdout: stdout.replaceAll("\t", "") }).toEqual({ status: 0, stdout: patch });
    expect((await withPrograms()`preview diff --branch a --exit-code`).status).toBe(1);
    const { json } = await withPrograms()`preview diff --branch a -o json`;
    expect(json).toMatchObject({ branch: "a", databaseId, sourceId: place.sourceId, differs: true });
    const log = readFileSync(join(programs, "log"), "utf8");
    expect(log).toContain("--schema-only");
    expect(log).not.toContain(new URL(connectionString).password);
    expect(log).not.toContain("MGMT_");
  });

  it("says that the schemas are the same, whatever the programs write about themselves", async () => {
    const about = (version: string, key: string): string =>
      `-- Dumped from database version ${version}\n-- Dumped by pg_dump version 18.4\n\n\\restrict ${key}\n${table}\\unrestrict ${key}\n`;
    await addSchemas(about("18.1", "abc"), about("18.2", "xyz"));
    const { status, stdout, stderr } = await withPrograms()`preview diff --branch a --exit-code`;
    expect({ status, stdout, stderr }).toEqual({
      status: 0,
      stdout: "",
      stderr: "The schemas of shop and a are the same.\n",
    });
    const { json } = await withPrograms()`preview diff --branch a -o json`;
    expect(json).toMatchObject({ differs: false, patch: "" } satisfies Printed);
  });

  it("has colors on a terminal, and no control characters of a schema", async () => {
    await addSchemas(table, table.replace("id", "\u001b[2Jid"));
    const { stdout } = await withPrograms({ terminal: true })`preview diff --branch a`;
    expect(stdout).toContain("\u001b[31m-    id integer\u001b[39m");
    expect(stdout).not.toContain("\u001b[2J");
  });

  it("fails if there is no preview, no program, an old one, or one that fails", async () => {
    const diff = (): ReturnType<Mgmt> => withPrograms()`preview diff --branch a --exit-code`;
    expect(await diff()).toMatchObject({ status: 6, stderr: expect.stringContaining("preview:not_found") });
    await addSchemas(table, table);
    install("pg_dump", "exit 1", "17.1");
    expect((await diff()).stderr).toMatch(/program:too_old|preview:dump_failed/);
    install("pg_dump", "echo 'pg_dump: error: permission denied' >&2; exit 1");
    expect(await diff()).toMatchObject({ status: 1, stderr: expect.stringContaining("permission denied") });
    install("psql", "echo 'psql: error: no route' >&2; exit 2");
    expect(await diff()).toMatchObject({
      status: 9,
      stderr: expect.stringContaining("database:unreachable"),
    });
  });
});
