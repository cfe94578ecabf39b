import { spawn, spawnSync } from "node:child_process";
import { appendFileSync, chmodSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Client } from "pg";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { bin, ensureBuilt } from "../../packages/cli/test/bin.js";
import { postgresFolder, withPostgres } from "../../packages/cli/test/commands/db/system-postgres.js";
import { call, control, makeProject, query } from "../../packages/platform/test/api.js";
import { connectToRecords } from "../../packages/platform/test/records-session.js";
import { type DevProcess, startDevOf } from "./dev-process.js";

const variable = "planted-variable-of-a-deployment";
const clientSecret = "planted-secret-of-an-oauth-client";

/** Is in each place as a secret would be, so that the search must find it. */
const leak = "planted-leak";

/** Returns the command line and the title of every process of this machine. */
const readProcesses = (): string =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8");
      } catch {
        // It has ended.
        return "";
      }
    })
    .join("\n");

/** Returns the values of all fields with one of these names. */
const valuesOf = (value: unknown, names: readonly string[]): string[] => {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]: [string, unknown]) =>
    names.includes(name) && typeof inner === "string" ? [inner] : valuesOf(inner, names),
  );
};

/** Settings with which Postgres keeps every statement with its parameters. */
const settings = "log_statement = 'all'\nlog_parameter_max_length = -1\nlog_min_messages = 'log'\n";

describe.skipIf(!postgresFolder)(
  withPostgres("somebody who reads a dump, logs, or statistics of the server"),
  () => {
    let folder: string;
    let dev: DevProcess;
    let session: Client;
    /** Keeps its last statement in the statistics. */
    let leakingSession: Client;
    let hasStatistics: boolean;
    /** The state of the API in clear. */
    let snapshot: unknown;
    /** Passwords in the responses, some of which were replaced later. */
    const passwords: string[] = [];
    /** All that was seen, by the place. */
    const places: Record<string, string> = {};

    const start = async (): Promise<void> => {
      // pg_dump must not be older than the server.
      const program = ["env", `MGMT_POSTGRES=${postgresFolder ?? ""}`, process.execPath, bin];
      dev = await startDevOf(program, ["--data-dir", folder]);
      session = await connectToRecords(folder, dev.ready);
    };

    const readAdminPassword = (): string => {
      const manifest = JSON.parse(readFileSync(join(folder, "platform.json"), "utf8")) as {
        postgres: { password: string };
      };
      return manifest.postgres.password;
    };

    const dumpRecords = (): string => {
      const { status, stdout, stderr } = spawnSync(
        join(postgresFolder ?? "", "pg_dump"),
        [
          ...["--host=127.0.0.1", `--port=${String(dev.ready.postgresPort)}`, "--username=postgres"],
          ...["--schema=mgmt", "postgres"],
        ],
        { encoding: "utf8", env: { PGPASSWORD: readAdminPassword() }, maxBuffer: 1e8 },
      );
      expect([status, stderr]).toEqual([0, ""]);
      return stdout;
    };

    /** Adds what can be seen now. */
    const look = async (): Promise<void> => {
      const { rows } = await session.query<{ query: string }>("select query from pg_stat_activity");
      places["pg_stat_activity"] += rows.map(({ query }) => query).join("\n");
      places["process list"] += readProcesses();
    };

    /** Does something with each kind of secret. */
    const useSecrets = async (): Promise<void> => {
      const { ready } = dev;
      const { id: projectId, database } = await makeProject(ready);
      const connections = `/v1/databases/${database.id}/connections`;
      const created = await call(ready, "POST", connections, { name: "app" });
      const rotated = await call(ready, "POST", `/v1/connections/${created.id}/rotate`);
      for (const { connectionString } of [database, created, rotated])
        passwords.push(new URL(connectionString).password);
      for (const { connectionString } of [database, rotated]) await query(connectionString, "select 1");
      const { id: appId } = await control(ready, "POST", "/seed/app", { projectId });
      await control(ready, "POST", "/seed/deployment", { appId, envVars: { API_KEY: variable } });
      await control(ready, "POST", "/oauth/clients", {
        id: "confidential",
        redirectUris: ["https://app.example/callback"],
        secret: clientSecret,
      });
      snapshot = await control(ready, "GET", "/snapshot");
    };

    beforeAll(async () => {
      await ensureBuilt();
      folder = mkdtempSync(join(tmpdir(), "mgmt-records-"));
      chmodSync(folder, 0o711);
      await start();
      const extension = "select from pg_available_extensions where name = 'pg_stat_statements'";
      hasStatistics = (await session.query(extension)).rowCount === 1;
      await session.end();
      await dev.end();
      const preloaded = hasStatistics ? "shared_preload_libraries = 'pg_stat_statements'\n" : "";
      appendFileSync(join(folder, "postgres/postgresql.auto.conf"), settings + preloaded);
      await start();
      if (hasStatistics) await session.query("create extension pg_stat_statements");

      Object.assign(places, { pg_stat_activity: "", "process list": "" });
      const leaking = spawn(process.execPath, ["-e", "setInterval(() => undefined, 1000)", leak], {
        stdio: "ignore",
      });
      leakingSession = await connectToRecords(folder, dev.ready);
      await leakingSession.query(`comment on schema mgmt is '${leak}'`);
      let isOver = false;
      const used = useSecrets().finally(() => {
        isOver = true;
      });
      const watch = async (): Promise<void> => {
        do await look();
        while (!isOver);
      };
      await Promise.all([used, watch()]).finally(() => leaking.kill());
      places["dump of the records"] = dumpRecords();
      if (hasStatistics) {
        const { rows } = await session.query<{ query: string }>("select query from pg_stat_statements");
        places["pg_stat_statements"] = rows.map(({ query: text }) => text).join("\n");
      }
    });
    afterAll(async () => {
      await session.end();
      await leakingSession.end();
      await dev.stop();
      rmSync(folder, { recursive: true });
    });

    it("finds none of its secrets, which the state in clear has", async () => {
      const text = JSON.stringify(snapshot);
      const storedSecrets = [...valuesOf(snapshot, ["pass", "cursorKey", "d"]), variable];
      expect(storedSecrets.length).toBeGreaterThanOrEqual(5);
      for (const secret of storedSecrets) expect(text).toContain(secret);
      const [link] = valuesOf(snapshot, ["databaseId"]);
      expect(places["dump of the records"]).toContain(link);
      expect(new Set(passwords).size).toBe(3);

      // Postgres does not wait until its messages are in the log. This one comes after them.
      await session.query("select 'last statement'");
      places["log of Postgres"] = await vi.waitFor(() => {
        const log = readFileSync(join(folder, "postgres.log"), "utf8");
        expect(log).toContain("'last statement'");
        return log;
      });
      places["log of mgmt dev"] = `${dev.log()} ${leak}`;
      const recordKey = readFileSync(join(folder, "record-keys"), "utf8").trim();
      const secrets = [leak, ...storedSecrets, ...passwords, clientSecret, dev.ready.token];
      secrets.push(recordKey, readAdminPassword());
      for (const [place, content] of Object.entries(places))
        expect([place, secrets.filter((secret) => content.includes(secret))]).toEqual([place, [leak]]);
    });
  },
);
