import { randomBytes } from "node:crypto";
import { type Client, DatabaseError, escapeIdentifier } from "pg";
import { isDiskFullError } from "@mgmt/cluster/connection/disk-full";
import { buildSettingStatement } from "@mgmt/cluster/databases/settings";
import { databasePrefixes, ownerRole } from "../server/registry.js";
import { TemplateDemand } from "./template-demand.js";

/** Maximum number of ended databases that are dropped only when no copies are missing. */
const maxEndedCount = 64;

/**
 * How long after the end of its test a database that still has sessions is not dropped, in minutes. Terminating a session may crash its
 * program, and fail other tests. The sessions of a process that was killed end immediately.
 */
const maxSessionMinutes = 10;

/** How long after a failure no copy of the template is made ahead, in milliseconds. */
const failureDelayMs = 1_000;

interface TemplateRow {
  readonly id: string;
  readonly database: string;
  readonly bytes: string;
  readonly settings: readonly string[];
  readonly ready: number;
  readonly waiting: number;
}

type CopierJob = { readonly copy: TemplateRow } | { readonly drop: string };

/** Makes copies of templates ahead, and drops databases whose tests have finished. */
export class Copier {
  readonly #sessions: readonly Client[];
  readonly #strategy: string;
  readonly #demands = new Map<string, TemplateDemand>();
  readonly #pausedUntil = new Map<string, number>();
  readonly #idleSessions: Client[];
  readonly #droppingNames = new Set<string>();
  #startingJobs: Promise<void> | undefined;
  #mustStartAgain = false;
  #isClosed = false;

  /** @param sessions one for each statement that may run at a time. */
  constructor(sessions: readonly Client[], major: number) {
    this.#sessions = sessions;
    this.#idleSessions = [...sessions];
    // Without `fsync`, the checkpoints of a copy of files cost little.
    this.#strategy = major >= 15 ? "strategy file_copy" : "";
  }

  /** Counts a test that takes a copy, or a runner that begins to use a template. */
  recordUse(template: string, waits: boolean): void {
    const now = performance.now();
    const demand = this.#demands.get(template) ?? new TemplateDemand(now);
    this.#demands.set(template, demand);
    demand.recordUse(now, waits);
  }

  /** Returns the templates that tests use, and discards the demand for the others. */
  listTemplates(): string[] {
    const now = performance.now();
    for (const [template, demand] of this.#demands)
      if (demand.isUnusedAt(now)) this.#demands.delete(template);
    return [...this.#demands.keys()];
  }

  /** Returns the templates that tests have needed a short while ago. */
  listActiveTemplates(): string[] {
    const now = performance.now();
    return [...this.#demands].filter(([, demand]) => demand.isInUseAt(now)).map(([template]) => template);
  }

  /** Starts no more work, and waits for the work in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    while (this.#startingJobs !== undefined || this.#idleSessions.length < this.#sessions.length)
      await new Promise((resolve) => setTimeout(resolve, 5));
  }

  /** Starts the loop that looks for work, if it does not run. */
  start(): void {
    if (this.#startingJobs !== undefined) {
      this.#mustStartAgain = true;
      return;
    }
    this.#mustStartAgain = false;
    this.#startingJobs = this.#startJobs()
      .catch(() => undefined)
      .finally(() => {
        this.#startingJobs = undefined;
        if (this.#mustStartAgain) this.start();
      });
  }

  async #startJobs(): Promise<void> {
    for (;;) {
      const session = this.#idleSessions.at(-1);
      if (session === undefined || this.#isClosed) return;
      const job = await this.#chooseJob(session);
      if (job === undefined || this.#isClosed) return;
      this.#idleSessions.splice(this.#idleSessions.indexOf(session), 1);
      void this.#run(session, job).finally(() => {
        this.#idleSessions.push(session);
        this.start();
      });
    }
  }

  /** Chooses the next job: a copy for which a test waits, then a copy to make ahead, then a database to drop. Many of the latter precede copies ahead. */
  async #chooseJob(session: Client): Promise<CopierJob | undefined> {
    // A test may begin to wait while a copy becomes ready.
    await session.query(
      "select mgmt_test.serve_waiters(template) from (select distinct template from mgmt_test.waiter) w",
    );
    const { rows: templates } = await session.query<TemplateRow>(
      `select t.id, t.database, t.bytes, t.settings,
          (select count(*)::integer from mgmt_test.database d where d.template = t.id and d.state = 'ready') as ready,
          (select count(*)::integer from mgmt_test.waiter w where w.template = t.id) as waiting
        from mgmt_test.template t where t.id = any ($1)`,
      [[...this.#demands.keys()]],
    );
    const endedNames = await this.#listEnded(session);
    const now = performance.now();
    const shortages = templates.flatMap((template) => {
      const demand = this.#demands.get(template.id);
      if (demand === undefined) return [];
      demand.resetIfIdle(now);
      const isPaused = now < (this.#pausedUntil.get(template.id) ?? 0);
      const copyCount = template.ready + demand.unfinishedCount;
      return {
        template,
        demand,
        waitingCount: template.waiting - copyCount,
        missingCount: isPaused ? 0 : demand.computeCount(now, Number(template.bytes)) - copyCount,
      };
    });
    shortages.sort(
      (left, right) => right.waitingCount - left.waitingCount || right.missingCount - left.missingCount,
    );
    const urgentShortage = shortages.find(({ waitingCount }) => waitingCount > 0);
    const largestShortage = shortages.find(({ missingCount }) => missingCount > 0);
    const mustDrop = endedNames.length > maxEndedCount;
    const shortage = urgentShortage ?? (mustDrop ? undefined : largestShortage);
    if (shortage !== undefined) {
      shortage.demand.unfinishedCount += 1;
      return { copy: shortage.template };
    }
    const [endedName] = endedNames;
    if (endedName === undefined) return undefined;
    this.#droppingNames.add(endedName);
    return { drop: endedName };
  }

  /** Returns the databases whose tests have finished, and that nothing drops yet. */
  async #listEnded(session: Client): Promise<string[]> {
    const { rows } = await session.query<{ name: string }>(
      `select name from mgmt_test.database
        where state = 'ended' and name <> all ($1) and (
          ended_at < now() - make_interval(mins => $2) or name not in (
            select datname from pg_stat_activity where datname is not null))
        order by name`,
      [[...this.#droppingNames], maxSessionMinutes],
    );
    return rows.map(({ name }) => name);
  }

  /** Drops the databases whose tests have finished. Returns whether there were any, or others are being dropped. */
  async #freeSpace(session: Client): Promise<boolean> {
    const isDropping = this.#droppingNames.size > 0;
    const endedNames = await this.#listEnded(session);
    for (const name of endedNames) this.#droppingNames.add(name);
    for (const name of endedNames) await this.#drop(session, name);
    return isDropping || endedNames.length > 0;
  }

  async #run(session: Client, job: CopierJob): Promise<void> {
    if ("drop" in job) return this.#drop(session, job.drop);
    const { id } = job.copy;
    try {
      await this.#copy(session, job.copy);
    } catch (error) {
      this.#pausedUntil.set(id, performance.now() + failureDelayMs);
      const isDiskFull = isDiskFullError(error);
      // Dropped databases make room for another attempt.
      if (isDiskFull && (await this.#freeSpace(session).catch(() => false))) return;
      const message = error instanceof Error ? error.message : String(error);
      await session
        .query("select mgmt_test.refuse_waiters($1, $2)", [id, JSON.stringify({ message, isDiskFull })])
        .catch(() => undefined);
    } finally {
      const demand = this.#demands.get(id);
      if (demand !== undefined) demand.unfinishedCount -= 1;
    }
  }

  async #copy(session: Client, { id, database, settings }: TemplateRow): Promise<void> {
    const name = databasePrefixes.copy + randomBytes(8).toString("hex");
    const quotedName = escapeIdentifier(name);
    try {
      await session.query(
        `create database ${quotedName} owner ${escapeIdentifier(ownerRole)} template ${escapeIdentifier(database)} ${this.#strategy} connection limit -1 allow_connections true`,
      );
      // `create database` does not copy the settings of the template.
      for (const setting of settings)
        await session.query(buildSettingStatement(`alter database ${quotedName}`, setting));
      await session.query("insert into mgmt_test.database (name, template, state) values ($1, $2, 'ready')", [
        name,
        id,
      ]);
    } catch (error) {
      // `duplicate_database`: another database has the random name, and must not be dropped.
      const hasDuplicateName = error instanceof DatabaseError && error.code === "42P04";
      if (!hasDuplicateName)
        await session.query(`drop database if exists ${quotedName} with (force)`).catch(() => undefined);
      throw error;
    }
    await session.query("select mgmt_test.serve_waiters($1)", [id]);
  }

  /** Drops a database with its sessions. If Postgres refuses, the next start of the server tries again. */
  async #drop(session: Client, name: string): Promise<void> {
    try {
      await session.query(`drop database if exists ${escapeIdentifier(name)} with (force)`);
      await session.query("delete from mgmt_test.database where name = $1", [name]);
    } catch {
      await session
        .query("update mgmt_test.database set state = 'undroppable' where name = $1", [name])
        .catch(() => undefined);
    } finally {
      this.#droppingNames.delete(name);
    }
  }
}
