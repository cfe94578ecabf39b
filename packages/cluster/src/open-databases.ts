import type { Sessions } from "@mgmt/engine/internal";
import { scramVerifier } from "./connection/scram.js";
import type { Cluster } from "./policy/cluster.js";
import { Admin, quoteIdentifier, quoteLiteral } from "./connection/admin-connection.js";
import { Copies } from "./databases/database-copier.js";
import { EndReasons } from "./connection/end-reasons.js";
import { Logins } from "./logins/logins.js";
import { preparedPrefix } from "./policy/names.js";
import { createRole, platformRole } from "./policy/ownership.js";
import { PostgresDatabases } from "./postgres-databases.js";
import { Presence } from "./repair/presence.js";
import {
  type MissingData,
  type RecordedDatabase,
  findPreparedDatabases,
  reconcile,
} from "./repair/reconcile.js";
import { PreparedDatabases } from "./databases/prepared-databases.js";
import { openGuards } from "./guard/open-guards.js";
import type { TenantLimits } from "./guard/tenant-guard.js";

export interface OpenDatabases {
  engine: PostgresDatabases;
  /** Databases and backups that are recorded but not in Postgres. */
  missing: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  broken: string[];
  /** Messages about work that failed. */
  problems: string[];
  /** Closes the platform's own connections. */
  close(): Promise<void>;
}

export interface DatabasesOptions extends Partial<TenantLimits> {
  /** Keeps work of other processes apart. Default: there are no other processes. */
  sessions?: Pick<Sessions, "exclusively">;
  /** On the disk of Postgres, for messages. Default: unknown. */
  directory?: string;
  /** Receives log messages. Default: they are discarded. */
  onLog?: (line: string) => void;
}

const ignoreLine: MissingData = { databaseIds: [], backupIds: [] };

/** Number of prepared databases: enough for a small burst of requests. Each takes 8 MB. */
const preparedCount = 3;

/**
 * Secures a new cluster: sets a new password for the superuser, revokes everybody's access to existing databases, and turns
 * `template1`, which the platform does not use, into the first prepared database.
 */
export const claimCluster = async (cluster: Cluster, newPassword: string): Promise<void> => {
  const admin = new Admin(cluster);
  const prepared = quoteIdentifier(`${preparedPrefix}first`);
  try {
    const verifier = quoteLiteral(await scramVerifier(newPassword));
    await admin.runScriptIn("template1", cluster.completeDatabase);
    await admin.whileUnused("template1", () =>
      admin.script([
        "comment on database template1 is null",
        "alter database template1 is_template false",
        `alter database template1 rename to ${prepared}`,
        `alter database ${prepared} allow_connections false`,
        `revoke all on database ${prepared}, postgres, template0 from public`,
        ...createRole(cluster, platformRole, "nologin"),
        `alter database ${prepared} owner to ${quoteIdentifier(platformRole)}`,
        `alter role ${quoteIdentifier(cluster.address.user)} password ${verifier}`,
      ]),
    );
  } finally {
    await admin.close();
  }
};

/**
 * Reconciles the databases of a cluster with the records, and returns the engine that manages them.
 *
 * @param cluster one that was claimed, or one that others also use.
 * @param limits of all databases together. Default: those that fit the settings of the server.
 */
export const openDatabases = async (
  cluster: Cluster,
  recorded: readonly RecordedDatabase[] | (() => Promise<readonly RecordedDatabase[]>),
  { sessions, directory, onLog = () => undefined, ...limits }: DatabasesOptions = {},
): Promise<OpenDatabases> => {
  const admin = new Admin(cluster, onLog);
  const copies = new Copies(admin, onLog);
  const logins = new Logins(admin, copies);
  const presence = new Presence({ ...admin.address, database: "postgres" });
  try {
    // Must not repair what another process is working on. Processes repeat the unfinished jobs of one that has ended.
    const reconciled = await presence.enter(async () => {
      const databases = typeof recorded === "function" ? await recorded() : recorded;
      const prepared = await cluster.prepare(admin);
      const repaired = await reconcile({ admin, copies, logins }, databases);
      return {
        ...repaired,
        problems: [...prepared, ...repaired.problems],
        isEmpty: databases.length === 0,
      };
    });
    const { missing = ignoreLine, broken = [], problems = [] } = reconciled ?? {};
    const ready = reconciled?.preparedDatabases ?? (await findPreparedDatabases(admin));
    const reasons = new EndReasons();
    const guards = openGuards(admin, limits, onLog, reasons);
    // Nobody can connect to databases that do not exist yet.
    if (reconciled?.isEmpty !== true) await guards.applied;
    const preparedDatabases = new PreparedDatabases(copies, preparedCount, ready, onLog);
    const engine = new PostgresDatabases({
      ...{ admin, copies, logins, preparedDatabases, reasons, sessions, onLog, directory },
    });
    return {
      engine,
      missing,
      broken,
      problems,
      close: async () => {
        await guards.close();
        await engine.close();
        await preparedDatabases.close();
        await presence.close();
        await admin.close();
      },
    };
  } catch (error) {
    await presence.close();
    await admin.close();
    throw error;
  }
};
