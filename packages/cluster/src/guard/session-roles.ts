import type { Pool } from "pg";
import { queryKeepingConnection } from "../connection/pool.js";
import type { Cluster, MembershipStatements } from "../policy/cluster.js";
import type { Installation } from "../policy/installation.js";

/** Maximum number of roles without a session that stay joined, and of roles that one update leaves. */
const maxUnusedRoles = 20;

/** The logins that have sessions, and whether the platform is allowed to see what these do. */
const buildSessionRolesQuery = ({ loginRoleCondition }: Installation): string => `
  select r.rolname as name, pg_has_role(r.oid, 'usage') as "isJoined" from pg_roles r
  where r.oid in (select usesysid from pg_stat_activity) and ${loginRoleCondition}`;

const buildJoinedRolesQuery = ({ loginRoleCondition }: Installation): string => `
  select r.rolname as name from pg_roles r where pg_has_role(r.oid, 'usage') and ${loginRoleCondition}`;

interface SessionRole {
  name: string;
  isJoined: boolean;
}

/**
 * Joins the logins that have sessions. Without their privileges, Postgres does not show what sessions do: their state, and what they wait
 * for. Leaves logins without sessions, because each membership makes all changes of roles slower.
 */
export class SessionRoles {
  readonly #statements: MembershipStatements | undefined;
  readonly #pool: Pool;
  readonly #sessionRolesQuery: string;
  readonly #joinedRolesQuery: string;
  /** Undefined before the first update. */
  #joinedNames: Set<string> | undefined;

  /** @param pool the pool with the connection of the guard. */
  constructor({ installation, memberships }: Pick<Cluster, "installation" | "memberships">, pool: Pool) {
    this.#statements = memberships;
    this.#pool = pool;
    this.#sessionRolesQuery = buildSessionRolesQuery(installation);
    this.#joinedRolesQuery = buildJoinedRolesQuery(installation);
  }

  /** Joins and leaves logins, unless the platform has the privileges of all roles. Returns whether it has joined any. */
  async update(hasSessions: boolean): Promise<boolean> {
    const memberships = this.#statements;
    const mightHaveUnused = this.#joinedNames === undefined || this.#joinedNames.size > maxUnusedRoles;
    if (memberships === undefined || !(hasSessions || mightHaveUnused)) return false;
    // A previous guard, or an older version, has joined these.
    this.#joinedNames ??= new Set((await this.#query(this.#joinedRolesQuery)).map(({ name }) => name));
    const roles = await this.#query(this.#sessionRolesQuery);
    const newNames = roles.filter(({ isJoined }) => !isJoined).map(({ name }) => name);
    if (newNames.length > 0) await this.#query(memberships.join(newNames));
    for (const { name } of roles) this.#joinedNames.add(name);
    const usedNames = new Set(roles.map(({ name }) => name));
    const unusedNames = [...this.#joinedNames].filter((name) => !usedNames.has(name));
    if (unusedNames.length > maxUnusedRoles) {
      const namesToLeave = unusedNames.slice(0, maxUnusedRoles);
      await this.#query(memberships.leave(namesToLeave));
      for (const name of namesToLeave) this.#joinedNames.delete(name);
    }
    return newNames.length > 0;
  }

  async #query(text: string): Promise<SessionRole[]> {
    return (await queryKeepingConnection<SessionRole>(this.#pool, text)).rows;
  }
}
