import { mkdirSync } from "node:fs";
import { join } from "node:path";
import pg from "pg";
import { beforeEach, describe, expect, it, vi } from "vitest";
import { temporaryFolder } from "../../../test/folders.js";
import { inProcess, runInProcess } from "../../../test/in-process.js";
import { postgresFolder, postgresPath, withPostgres } from "../../../test/commands/db/system-postgres.js";
import type { Result } from "../../../test/result.js";
import { usePlace } from "../../../test/commands/preview/place.js";

const place = usePlace();
let programs: string;
beforeEach(() => {
  programs = join(place.base, "programs");
  mkdirSync(programs);
});

describe.skipIf(!postgresFolder)(withPostgres("mgmt preview diff with Postgres"), () => {
  const configFolder = temporaryFolder();

  it("shows the migrations of a branch, also after the setup ran with DATABASE_URL", async () => {
    vi.stubEnv("MGMT_POSTGRES", postgresFolder);
    const seen: unknown[] = [];
    const { stderr } = await runInProcess(["dev", "--ephemeral", "--port", "0", "--output", "json"], {
      env: { MGMT_CONFIG_DIR: configFolder },
      interruptWhen: async (line) => {
        // The tests of `mgmt dev` assert the shape of the line.
        const { baseUrl, token } = JSON.parse(line) as Record<string, string>;
        const env = { MGMT_BASE_URL: baseUrl, MGMT_TOKEN: token, PATH: postgresPath };
        const mgmt = inProcess({ env, cwd: place.folder });
        const created = await mgmt`projects create shop --region eu-central-1 --wait --output json`;
        const { id, database } = created.json as { id: string; database: { connectionString: string } };
        const client = new pg.Client({ connectionString: database.connectionString });
        await client.connect();
        await client.query("create table notes (id integer primary key); insert into notes values (1)");
        await client.end();
        const setup = `--setup=psql "$DATABASE_URL" --quiet --command "alter table notes add title text"`;
        const inShop = inProcess({ env: { ...env, MGMT_PROJECT_ID: id }, cwd: place.folder });
        const { json } = await inShop`preview up --branch feature -o json ${setup}`;
        const changed = await inShop`preview diff --branch feature --exit-code`;
        await inShop`preview reset --branch feature --yes`;
        const fresh = await inShop`preview diff --branch feature --exit-code`;
        seen.push(json, changed, fresh);
        return true;
      },
    });
    vi.unstubAllEnvs();
    const [json, changed, fresh] = seen;
    expect(json, stderr).toMatchObject({ created: true, setup: "succeeded" });
    expect(changed).toMatchObject({ status: 1, stdout: expect.stringContaining("+    title text") });
    // The record of the setup is no change of the branch.
    expect((changed as Result).stdout).not.toContain("mgmt_preview");
    expect(fresh).toMatchObject({ status: 0, stdout: "" });
  }, 120_000);
});
