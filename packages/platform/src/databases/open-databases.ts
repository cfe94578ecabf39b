import type { Sessions } from "@mgmt/engine";
import { scramVerifier } from "../postgres/scram.js";
import { superuser } from "../postgres/cluster.js";
import { adoptEarlier } from "./adopt-earlier.js";
import { Admin, type AdminAddress, identifier, literal } from "./admin.js";
import { Copies } from "./copies.js";
import { Logins } from "./logins.js";
import { databaseName, sparePrefix } from "./names.js";
import { createRole, platformRole } from "./ownership.js";
import { joinCluster } from "./shared-cluster.js";
import { PostgresDatabases } from "./postgres-databases.js";
import { Presence } from "./presence.js";
import { type MissingData, type RecordedDatabase, findSpares, reconcile } from "./reconcile.js";
import { Spares } from "./spares.js";
import { TenantGuard, type TenantLimits } from "./tenant-guard.js";

export interface OpenDatabases {
  engine: PostgresDatabases;
  /** Returns the database of a login role; undefined when the role is not a login of a database. */
  databaseOf(user: string): string | undefined | Promise<string | undefined>;
  /** What the records contain but Postgres does not. */
  missing: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  broken: string[];
  /** Messages about what could not be done. */
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

const nothing: MissingData = { databaseIds: [], backupIds: [] };

/** Number of spare databases: enough for a small burst of requests. Each takes 8 MB. */
const spareDepth = 3;

/**
 * Secures a new cluster: sets a new password for the superuser, revokes everybody's access to existing databases, and turns
 * `template1`, which the platform does not use, into the first spare database.
 */
export const claimCluster = async (
  address: AdminAddress,
  major: number,
  newPassword: string,
): Promise<void> => {
  const admin = new Admin(address, major);
  const spare = identifier(`${sparePrefix}first`);
  try {
    const verifier = literal(await scramVerifier(newPassword));
    await admin.onceUnused("template1", () =>
      admin.script([
        "comment on database template1 is null",
        "alter database template1 is_template false",
        `alter database template1 rename to ${spare}`,
        `alter database ${spare} allow_connections false`,
        `revoke all on database ${spare}, postgres, template0 from public`,
        ...createRole(admin, platformRole, "nologin"),
        `alter database ${spare} owner to ${identifier(platformRole)}`,
        `alter role ${identifier(superuser)} password ${verifier}`,
      ]),
    );
  } finally {
    await admin.close();
  }
};

/**
 * Reconciles the databases of a cluster with the records, and returns the engine that manages them.
 *
 * @param address of a claimed cluster, or with the name of a role in a cluster that others also use.
 * @param clientPort port that connection strings contain.
 * @param limits of all databases together. Default: those that fit the settings of the server.
 */
export const openDatabases = async (
  address: AdminAddress,
  major: number,
  recorded: readonly RecordedDatabase[] | (() => Promise<readonly RecordedDatabase[]>),
  clientPort: number,
  { sessions, directory, onLog = () => undefined, ...limits }: DatabasesOptions = {},
): Promise<OpenDatabases> => {
  const admin = new Admin(address, major);
  const copies = new Copies(admin, major, onLog);
  const logins = new Logins(admin, copies);
  const presence = new Presence({ ...admin.address, database: "postgres" });
  try {
    // Must not repair what another process is working on. Processes repeat the unfinished jobs of one that has ended.
    const reconciled = await presence.enter(async () => {
      const databases = typeof recorded === "function" ? await recorded() : recorded;
      const names = databases.map(({ databaseId }) => databaseName(databaseId));
      const shared = admin.isSuperuser ? await adoptEarlier(admin, names) : await joinCluster(admin, major);
      const found = await reconcile({ admin, copies, logins }, databases);
      return {
        ...found,
        problems: [...(shared ?? []), ...found.problems],
        isEmpty: databases.length === 0,
      };
    });
    const { missing = nothing, broken = [], problems = [] } = reconciled ?? {};
    const ready = reconciled?.spares ?? (await findSpares(admin));
    const guard = new TenantGuard(admin, limits, onLog);
    const limiting = guard.open();
    // Nobody can connect to databases that do not exist yet.
    if (reconciled?.isEmpty !== true) await limiting;
    const spares = new Spares(copies, spareDepth, ready, onLog);
    const engine = new PostgresDatabases({
      ...{ admin, copies, logins, spares, port: clientPort, sessions, onLog, directory },
    });
    return {
      engine,
      databaseOf: (user) => logins.databaseOf(user),
      missing,
      broken,
      problems,
      close: async () => {
        await guard.close();
        await engine.close();
        await spares.close();
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
