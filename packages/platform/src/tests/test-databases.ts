import { join } from "node:path";
import { ensureTemplate } from "./ensure-template.js";
import type { DatabaseTestSettings } from "./kit-options.js";
import { toConnectionString } from "./run-setup.js";
import { type ServerLocation, locateServer } from "./server/location.js";
import { passwordFileName } from "./server/password-file.js";
import { retainedRole } from "./server/registry.js";
import { RunnerSession } from "./server/runner-session.js";
import type { StartDaemon } from "./server/start-daemon.js";
import { computeTemplateId } from "./template-id.js";

/** A database of a test's own. Nothing else uses it, and it is dropped when the test has finished. */
export interface TestDatabase {
  /** Connection string, with the password: `postgresql://USER:PASSWORD@127.0.0.1:PORT/DATABASE`. */
  readonly connectionString: string;
  readonly host: string;
  readonly port: number;
  /** Name of the database. */
  readonly database: string;
  readonly user: string;
  readonly password: string;
}

/** Where the server is, for tests of this package. */
export interface ServerOptions {
  readonly location?: () => Promise<ServerLocation>;
  readonly start?: StartDaemon;
}

/** How long the failure of a start counts for later tests, in milliseconds. */
const failureMemoryMs = 10_000;

/** A session that is opened when it is needed, and again when it is closed. */
class LazySession {
  #session: Promise<RunnerSession> | undefined;
  #failedAt = -Infinity;

  async open({ location = locateServer, start }: ServerOptions): Promise<RunnerSession> {
    const current = this.#session;
    const session = await current?.catch(() => undefined);
    const mustRemain =
      session === undefined ? performance.now() - this.#failedAt < failureMemoryMs : !session.isClosed;
    // Another test may have begun to open one.
    if (this.#session !== undefined && (mustRemain || this.#session !== current)) return this.#session;
    this.#session = (async () => RunnerSession.open(await location(), start))();
    this.#session.catch(() => (this.#failedAt = performance.now()));
    return this.#session;
  }

  async close(): Promise<void> {
    await (await this.#session?.catch(() => undefined))?.close();
  }
}

/** The session of this process, which all its databases share. */
const sharedSession = new LazySession();

/** Copies of the template of one setup. */
export class TestDatabases {
  readonly #settings: DatabaseTestSettings;
  readonly #serverOptions: ServerOptions;
  readonly #ownSession = new LazySession();
  readonly #sessions = new WeakMap<TestDatabase, RunnerSession>();
  /** The session in which the template was found or made, and its id. A setup that fails does so once. */
  #template: { session: RunnerSession; templateReady: Promise<string> } | undefined;

  constructor(settings: DatabaseTestSettings, serverOptions: ServerOptions = {}) {
    this.#settings = settings;
    this.#serverOptions = serverOptions;
  }

  /**
   * Returns a database that no other test has.
   *
   * @throws PlatformError
   */
  async take(): Promise<TestDatabase> {
    const session = await this.#session();
    try {
      return await this.#acquireDatabase(session);
    } catch (error) {
      // The server has stopped, such as after a crash of Postgres. It is started again.
      if (!session.isClosed) throw error;
      return this.#acquireDatabase(await this.#session());
    }
  }

  async #acquireDatabase(session: RunnerSession): Promise<TestDatabase> {
    session.acquire();
    try {
      if (this.#template?.session !== session) {
        const templateReady = this.#prepareTemplate(session);
        templateReady.catch(() => undefined);
        this.#template = { session, templateReady };
      }
      const name = await session.acquireDatabase(await this.#template.templateReady);
      const address = session.toAddress(name);
      const database = { connectionString: toConnectionString(address), ...address };
      this.#sessions.set(database, session);
      return database;
    } catch (error) {
      session.release();
      throw error;
    }
  }

  /**
   * Ends the use of a database. The server drops it later, with sessions that the test has left.
   *
   * @param outcome whether its test has failed.
   * @returns how to open the database if it remains.
   */
  async release(
    testDatabase: TestDatabase,
    { hasFailed }: { hasFailed: boolean },
  ): Promise<string | undefined> {
    const session = this.#sessions.get(testDatabase);
    this.#sessions.delete(testDatabase);
    // The server has dropped the databases of a session that has ended.
    if (session === undefined || session.isClosed) return undefined;
    const { database } = testDatabase;
    const mustRemain = hasFailed && this.#settings.keepOnFailure;
    await session.releaseDatabase(database, mustRemain ? "retained" : "ended");
    session.release();
    if (!mustRemain) return undefined;
    const passwordFile = join(session.location.directory, passwordFileName);
    return `PGPASSFILE=${quote(passwordFile)} psql -h 127.0.0.1 -p ${String(session.port)} -U ${retainedRole} ${database}`;
  }

  /** Terminates the session of this process, if these databases have one of their own. */
  async close(): Promise<void> {
    await this.#ownSession.close();
  }

  async #session(): Promise<RunnerSession> {
    if (this.#serverOptions.location === undefined) return sharedSession.open(this.#serverOptions);
    return this.#ownSession.open(this.#serverOptions);
  }

  async #prepareTemplate(session: RunnerSession): Promise<string> {
    const id = await computeTemplateId(this.#settings, session.location.binaries.version);
    await ensureTemplate(session, id, this.#settings);
    return id;
  }
}

/** Quotes a path for a shell, if it must be. */
const quote = (path: string): string =>
  /^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", String.raw`'\''`)}'`;
