import { spawnSync } from "node:child_process";
import { chmodSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { postgresFolder, withPostgres } from "../../packages/cli/test/commands/db/system-postgres.js";
import { call, control, makeProject } from "../../packages/platform/test/api.js";
import { type DevProcess, startDevOf } from "./dev-process.js";

const variable = "planted-variable-of-a-deployment";
const clientSecret = "planted-secret-of-an-oauth-client";

/** Returns the values of all fields with one of these names. */
const valuesOf = (value: unknown, names: readonly string[]): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    names.includes(name) && typeof inner === "string" ? [inner] : valuesOf(inner, names),
  );
};

describe.skipIf(!postgresFolder)(withPostgres("somebody with a dump of the records"), () => {
  let folder: string;
  let dev: DevProcess;
  /** The state of the API in clear. */
  let snapshot: unknown;
  let dump: string;
  let activity: string;

  /** Runs a program of Postgres as its superuser. */
  const runAsSuperuser = (program: string, ...args: string[]): string => {
    const manifest = JSON.parse(readFileSync(join(folder, "platform.json"), "utf8")) as {
      postgres: { password: string };
    };
    const address = ["--host=127.0.0.1", `--port=${String(dev.ready.postgresPort)}`, "--username=postgres"];
    const { status, stdout, stderr } = spawnSync(
      join(postgresFolder ?? "", program),
      [...address, ...args, "postgres"],
      { encoding: "utf8", env: { PGPASSWORD: manifest.postgres.password }, maxBuffer: 1e8 },
    );
    expect([status, stderr]).toEqual([0, ""]);
    return stdout;
  };

  beforeAll(async () => {
    await ensureBuilt();
    folder = mkdtempSync(join(tmpdir(), "mgmt-records-"));
    chmodSync(folder, 0o711);
    // pg_dump must not be older than the server.
    const program = ["env", `MGMT_POSTGRES=${postgresFolder ?? ""}`, process.execPath, bin];
    dev = await startDevOf(program, ["--data-dir", folder]);
    const { ready } = dev;
    const { id: projectId, database } = await makeProject(ready);
    const connections = `/v1/databases/${database.id}/connections`;
    const { id: connectionId } = await call(ready, "POST", connections, { name: "app" });
    await call(ready, "POST", `/v1/connections/${connectionId}/rotate`);
    const { id: appId } = await control(ready, "POST", "/seed/app", { projectId });
    await control(ready, "POST", "/seed/deployment", { appId, envVars: { API_KEY: variable } });
    await control(ready, "POST", "/oauth/clients", {
      id: "confidential",
      redirectUris: ["https://app.example/callback"],
      secret: clientSecret,
    });
    snapshot = await control(ready, "GET", "/snapshot");
    dump = runAsSuperuser("pg_dump", "--schema=mgmt");
    activity = runAsSuperuser("psql", "--command=select query from pg_stat_activity");
  });
  afterAll(async () => {
    await dev.stop();
    rmSync(folder, { recursive: true });
  });

  it("reads none of its secrets, which the state in clear has", () => {
    const text = JSON.stringify(snapshot);
    const storedSecrets = [...valuesOf(snapshot, ["pass", "cursorKey", "d"]), variable];
    expect(storedSecrets.length).toBeGreaterThanOrEqual(5);
    for (const secret of storedSecrets) expect(text).toContain(secret);
    const [link] = valuesOf(snapshot, ["databaseId"]);
    expect(dump).toContain(link);
    for (const secret of [...storedSecrets, clientSecret, dev.ready.token]) {
      expect(dump).not.toContain(secret);
      expect(activity).not.toContain(secret);
    }
  });
});
