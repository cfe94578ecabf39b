import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { isMainThread } from "node:worker_threads";
import { type Client, DatabaseError, escapeIdentifier } from "pg";
import { PlatformError, platformErrors } from "../errors/platform-error.js";
import type { DatabaseTestSettings } from "./kit-options.js";
import { runSetup } from "./run-setup.js";
import { databasePrefixes, daemonChannel, lockKeys, ownerRole } from "./server/registry.js";
import { type RunnerSession, toTestDatabaseError } from "./server/runner-session.js";

/** How much longer than the setup a process waits for another one that makes the same template, in milliseconds. */
const lockGraceMs = 30_000;

/** How long sessions that the setup has left may take to end, in milliseconds. */
const sessionEndTimeoutMs = 5_000;

/** How long a function may take to end its sessions after it has returned, and how long each pause between two looks is, in milliseconds. */
const sessionGraceMs = 2_000;
const sessionPauseMs = 10;

/**
 * How long a failed setup counts as part of this run after a test has needed it, in seconds. A run of a watch mode that begins later tries
 * it again.
 */
const failureSeconds = 10;

/**
 * Names the run that this process belongs to: its parent if that is a runner which has started it as a worker, or otherwise this process.
 */
const getRunId = (): string => {
  const isWorker = process.channel !== undefined && process.channel !== null;
  const isWorkerProcess = isMainThread && (isWorker || process.env["NODE_TEST_CONTEXT"] !== undefined);
  return isWorkerProcess ? `parent ${String(process.ppid)}` : `process ${String(process.pid)}`;
};

/**
 * Makes a template unless it exists. When several processes need it, one makes it, and the others wait.
 *
 * @throws PlatformError `platform:test_setup_failed`, `platform:test_setup_timeout`, `platform:disk_full`,
 *   `platform:test_database_failed`.
 */
export const ensureTemplate = async (
  session: RunnerSession,
  id: string,
  settings: DatabaseTestSettings,
): Promise<void> => {
  if (await markTemplateUsed(session, id)) return;
  await rejectFailedSetup(session, id);
  const client = await session.openSession();
  try {
    await lockTemplate(client, id, settings);
    if (await markTemplateUsed(session, id)) return;
    await rejectFailedSetup(session, id);
    await createTemplate(session, client, { id, settings });
  } catch (error) {
    throw error instanceof DatabaseError && error.code === "55P03"
      ? platformErrors.testSetupTimeout(settings.setupTimeoutMs, "")
      : toTestDatabaseError(error, session.location);
  } finally {
    await client.end().catch(() => undefined);
  }
};

/** Returns whether a template exists. The server makes copies of it ahead, and keeps it. */
const markTemplateUsed = async (session: RunnerSession, id: string): Promise<boolean> => {
  const rows = await session.query(
    "update mgmt_test.template set used_at = now() where id = $1 returning pg_notify($2, $3)",
    [id, daemonChannel, JSON.stringify({ template: id, waits: false })],
  );
  return rows.length > 0;
};

const rejectFailedSetup = async (session: RunnerSession, id: string): Promise<void> => {
  const [failure] = await session.query<{ summary: string }>(
    `update mgmt_test.failure set asked_at = clock_timestamp()
      where run = $1 and template = $2 and asked_at > clock_timestamp() - make_interval(secs => $3) returning summary`,
    [getRunId(), id, failureSeconds],
  );
  if (failure !== undefined) throw platformErrors.testSetupFailedBefore(failure.summary);
};

const lockTemplate = async (
  client: Client,
  id: string,
  { setupTimeoutMs }: DatabaseTestSettings,
): Promise<void> => {
  await client.query(`set lock_timeout = ${String(Math.min(2 ** 31 - 1, setupTimeoutMs + lockGraceMs))}`);
  await client.query("select pg_advisory_lock($1, hashtext($2))", [lockKeys.template, id]);
};

const createTemplate = async (
  session: RunnerSession,
  client: Client,
  { id, settings }: { id: string; settings: DatabaseTestSettings },
): Promise<void> => {
  const name = `${databasePrefixes.template}${id.slice(0, 12)}_${randomBytes(4).toString("hex")}`;
  const quotedName = escapeIdentifier(name);
  // If this process is killed, the server drops the database.
  await client.query(
    "insert into mgmt_test.database (name, template, state, owner) values ($1, $2, 'making', $3)",
    [name, id, session.runnerId],
  );
  try {
    await client.query(
      `create database ${quotedName} owner ${escapeIdentifier(ownerRole)} template template0`,
    );
    await runSetup(settings, session.toAddress(name));
    // Terminated sessions of this process would be uncaught errors of its tests.
    if (typeof settings.setup === "function") await rejectLeftSessions(client, name);
    await terminateSessions(client, name);
    await analyze(session, name);
    await client.query(`alter database ${quotedName} allow_connections false`);
    await terminateSessions(client, name);
    await client.query(
      `with making as (delete from mgmt_test.database where name = $2)
        insert into mgmt_test.template (id, database, bytes, settings)
        select $1, $2, pg_database_size(d.oid), coalesce(s.setconfig, '{}')
        from pg_database d left join pg_db_role_setting s on s.setdatabase = d.oid and s.setrole = 0 where d.datname = $2`,
      [id, name],
    );
  } catch (error) {
    if (error instanceof PlatformError) await recordFailure(client, id, error);
    // The server drops it, with the sessions that the setup has left.
    await client.query("select mgmt_test.finish($1, 'ended')", [name]).catch(() => undefined);
    throw error;
  }
  await markTemplateUsed(session, id);
};

/** Collects the statistics for the planner, because the server has no autovacuum. Copies of the database have them too. */
const analyze = async (session: RunnerSession, name: string): Promise<void> => {
  const client = await session.openSession(name);
  try {
    await client.query("analyze (skip_locked)");
  } finally {
    await client.end();
  }
};

/** Waits for the end of the sessions of a database. Counts the pauses, because tests may have replaced the clock. */
const rejectLeftSessions = async (client: Client, name: string): Promise<void> => {
  for (let pauses = sessionGraceMs / sessionPauseMs; ; pauses -= 1) {
    const { rows } = await client.query("select from pg_stat_activity where datname = $1", [name]);
    if (rows.length === 0) return;
    if (pauses === 0) throw platformErrors.testSetupConnected(rows.length);
    await sleep(sessionPauseMs);
  }
};

/** Terminates the sessions of a database, and waits for their end: Postgres copies only databases without sessions. */
const terminateSessions = async (client: Client, name: string): Promise<void> => {
  const deadline = performance.now() + sessionEndTimeoutMs;
  for (;;) {
    const { rowCount } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = $1",
      [name],
    );
    if (rowCount === 0) return;
    if (performance.now() > deadline)
      throw platformErrors.testSetupFailed(
        "a session of it does not end, so that its database cannot be copied",
      );
    await sleep(2);
  }
};

const recordFailure = async (client: Client, id: string, { message }: PlatformError): Promise<void> => {
  const [summary = ""] = message.replace(/^[^:]*: /, "").split("\n");
  await client.query(
    `insert into mgmt_test.failure (run, template, summary) values ($1, $2, $3)
      on conflict (run, template) do update set summary = excluded.summary, asked_at = clock_timestamp()`,
    [getRunId(), id, summary],
  );
};
