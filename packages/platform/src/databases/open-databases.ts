import { scramVerifier } from "../postgres/scram.js";
import { superuser } from "../postgres/cluster.js";
import { adoptEarlier } from "./adopt-earlier.js";
import { Admin, type AdminAddress, identifier, literal } from "./admin.js";
import { Copies } from "./copies.js";
import { Logins } from "./logins.js";
import { databaseName, sparePrefix } from "./names.js";
import { createRole, platformRole } from "./ownership.js";
import { PostgresDatabases } from "./postgres-databases.js";
import { type MissingData, type RecordedDatabase, reconcile } from "./reconcile.js";
import { Spares } from "./spares.js";
import { TenantGuard, type TenantLimits } from "./tenant-guard.js";

export interface OpenDatabases {
  engine: PostgresDatabases;
  /** Returns the database of a login role; undefined when the role is not a login of a database. */
  databaseOf(user: string): string | undefined;
  /** What the records contain but Postgres does not. */
  missing: MissingData;
  /** Ids of databases that exist but could not be made to match their records. */
  broken: string[];
  /** Messages about what could not be done. */
  problems: string[];
  /** Closes the platform's own connections. */
  close(): Promise<void>;
}

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
        ...createRole(platformRole, "nologin"),
        `alter database ${spare} owner to ${identifier(platformRole)}`,
        `alter role ${identifier(superuser)} password ${verifier}`,
      ]),
    );
  } finally {
    await admin.close();
  }
};

/**
 * Reconciles the databases of a claimed cluster with the records, and returns the engine that manages them.
 *
 * @param clientPort port that connection strings contain.
 * @param limits of all databases together. Default: those that fit the settings of the server.
 */
export const openDatabases = async (
  address: AdminAddress,
  major: number,
  recorded: readonly RecordedDatabase[],
  clientPort: number,
  limits: Partial<TenantLimits> = {},
): Promise<OpenDatabases> => {
  const admin = new Admin(address, major);
  const copies = new Copies(admin, major);
  const logins = new Logins(admin, copies);
  try {
    await adoptEarlier(
      admin,
      recorded.map(({ databaseId }) => databaseName(databaseId)),
    );
    const { missing, broken, problems, spares: ready } = await reconcile({ admin, copies, logins }, recorded);
    const guard = new TenantGuard(admin, limits);
    await guard.open();
    const spares = new Spares(copies, spareDepth, ready);
    const engine = new PostgresDatabases({ admin, copies, logins, spares, port: clientPort });
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
        await admin.close();
      },
    };
  } catch (error) {
    await admin.close();
    throw error;
  }
};
