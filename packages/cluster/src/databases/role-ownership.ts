import { DatabaseError } from "pg";
import type { AdminConnection } from "../connection/admin-connection.js";
import { type TenantStatement, tenantStatements } from "../policy/tenant-statement.js";

/** How many locks a transaction may take, as a share of the locks of all tenants: `several` if others may run at the same time. */
const lockShares = { several: 0.1, one: 0.6 };

/** Estimated number of locks to change the owner of a table with its indexes, its sequences, and its TOAST table. */
const locksPerTable = 8;

/** Returns whether a transaction would take too many locks (`program_limit_exceeded`). */
export const isTooManyLocksError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "54000";

/** Transfers objects from roles to other roles. */
export class RoleOwnership {
  readonly #admin: AdminConnection;

  constructor(admin: AdminConnection) {
    this.#admin = admin;
  }

  /**
   * Transfers the objects of roles in a copy to `owner`, in several transactions if there are many. No one else can connect to the copy.
   */
  async transferObjectsOfCopy(name: string, roles: readonly string[], owner: string): Promise<void> {
    try {
      await this.transferObjects(name, roles, owner);
    } catch (error) {
      if (!isTooManyLocksError(error)) throw error;
      const { cluster, limits } = this.#admin;
      const batchSize = Math.ceil((limits.locks * lockShares.several) / locksPerTable);
      await this.#admin.runScriptIn(name, cluster.buildAllowOwningStatements(name, owner));
      await this.#admin.runScriptIn(name, [tenantStatements.transferRelations(roles, owner, batchSize)]);
      await this.transferObjects(name, roles, owner);
    }
  }

  /**
   * Transfers the objects of roles in a database to `owner`, and revokes the privileges of these roles, in one transaction, which locks all
   * of the objects.
   *
   * @throws DatabaseError `program_limit_exceeded` (54000) when there are too many objects.
   */
  async transferObjects(database: string, roles: readonly string[], owner: string): Promise<void> {
    if (roles.length === 0) return;
    const statements = await this.#buildReassignStatements(database, roles, owner);
    const run = (share: number): Promise<void> =>
      this.#admin.runScriptIn(database, [
        tenantStatements.limitLocks(roles, Math.floor(this.#admin.limits.locks * share)),
        ...statements,
      ]);
    try {
      await run(lockShares.several);
    } catch (error) {
      if (!isTooManyLocksError(error)) throw error;
      await this.#admin.manyLocksSemaphore.run(database, () => run(lockShares.one));
    }
  }

  /**
   * Returns the statements that transfer the objects of roles in a database to `owner`, and revoke the privileges of these roles. The roles
   * keep their databases, although REASSIGN OWNED also changes the owner of databases.
   */
  async #buildReassignStatements(
    database: string,
    roles: readonly string[],
    owner: string,
  ): Promise<TenantStatement[]> {
    const ownedDatabases = await this.#admin.query<{ name: string; role: string }>(
      `select d.datname as name, r.rolname as role
        from pg_database d join pg_roles r on r.oid = d.datdba where r.rolname = any ($1)`,
      [roles],
    );
    return [
      ...this.#admin.cluster.buildAllowOwningStatements(database, owner),
      ...roles.flatMap((role) => [
        tenantStatements.reassignOwned(role, owner),
        ...ownedDatabases
          .filter((database) => database.role === role)
          .map(({ name }) => tenantStatements.transferDatabase(name, role)),
        tenantStatements.dropOwned(role),
      ]),
    ];
  }
}
