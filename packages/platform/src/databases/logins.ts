import type { DatabaseCredential } from "@mgmt/engine";
import { connectionLimits } from "../postgres/connection-limits.js";
import { matchesVerifier, scramVerifier } from "../postgres/scram.js";
import { type Admin, identifier, literal } from "./admin.js";
import type { Copies } from "./copies.js";
import { createRole } from "./ownership.js";

/** A login role found in Postgres. */
interface FoundLogin {
  verifier: string | null;
  login: boolean;
  limit: number;
  owners: string[];
}

/**
 * Manages the login roles of databases, one per connection. Each login is a member of the database's owner role and starts
 * its sessions as that role. Connections therefore share all objects, and dropping a login does not drop its tables.
 */
export class Logins {
  readonly #admin: Admin;
  readonly #copies: Copies;
  /** Role by connection id. */
  readonly #roles = new Map<string, string>();
  /** Database by role. */
  readonly #databases = new Map<string, string>();

  constructor(admin: Admin, copies: Copies) {
    this.#admin = admin;
    this.#copies = copies;
  }

  /** Returns the statements that create logins, so that they can run in the transaction that creates the database. */
  async statements(owner: string, credentials: readonly DatabaseCredential[]): Promise<string[]> {
    const statements = credentials.map(async ({ user, pass }) => [
      ...createRole(
        user,
        `login password ${literal(await scramVerifier(pass))} in role ${identifier(owner)}`,
      ),
      `alter role ${identifier(user)} set role = ${identifier(owner)}`,
      ...limit(user),
    ]);
    return (await Promise.all(statements)).flat();
  }

  /** Records the role of a connection. */
  remember(owner: string, { connectionId, user }: DatabaseCredential): void {
    this.#roles.set(connectionId, user);
    this.#databases.set(user, owner);
  }

  /** Returns the database of a login role; undefined when the role is not a login of a database. */
  databaseOf(user: string): string | undefined {
    return this.#databases.get(user);
  }

  /** Creates the login, or changes the password of an existing one and ends its sessions if the password is new. */
  async grant(owner: string, credential: DatabaseCredential): Promise<void> {
    const { connectionId, user, pass } = credential;
    const former = this.#roles.get(connectionId);
    const known = await this.#find(user);
    if (known === undefined) {
      await this.#admin.script(await this.statements(owner, [credential]));
    } else {
      if (!known.owners.includes(owner)) throw new Error(`The role ${user} belongs to another database`);
      if (known.limit !== connectionLimits.perDatabase) await this.#admin.script(limit(user));
      // An interrupted removal disables the login first.
      const isSame = known.login && (await matchesVerifier(pass, known.verifier ?? ""));
      if (!isSame) await this.#changePassword(user, pass);
    }
    this.remember(owner, credential);
    if (former !== undefined && former !== user) await this.#drop(former, owner);
  }

  async revoke(owner: string, connectionId: string): Promise<void> {
    const role = this.#roles.get(connectionId);
    if (role !== undefined) await this.#drop(role, owner);
    this.#roles.delete(connectionId);
  }

  /** Drops all logins of a database except the given ones. */
  async dropAll(owner: string, except: readonly string[] = []): Promise<void> {
    for (const role of await this.#membersOf(owner))
      if (!except.includes(role)) await this.#drop(role, owner);
  }

  /** Ends the sessions before the change, because they could change the password again. */
  async #changePassword(user: string, pass: string): Promise<void> {
    const verifier = literal(await scramVerifier(pass));
    await this.#admin.script([
      "begin",
      // Without the lock, Postgres refuses the change if one of these sessions changes the role at the same time.
      "lock table pg_authid in share row exclusive mode",
      `alter role ${identifier(user)} nologin`,
      "commit",
    ]);
    await this.#admin.endSessions("usename = $1", user);
    await this.#admin.script([`alter role ${identifier(user)} login password ${verifier}`]);
  }

  async #drop(role: string, owner: string): Promise<void> {
    if ((await this.#find(role)) !== undefined) await this.#copies.dropRole(role, owner);
    // Forgotten last, because a retry of an interrupted removal must find the role again.
    for (const [connectionId, name] of this.#roles) if (name === role) this.#roles.delete(connectionId);
    this.#databases.delete(role);
  }

  async #find(role: string): Promise<FoundLogin | undefined> {
    const [found] = await this.#admin.query<FoundLogin>(
      `select rolpassword as verifier, rolcanlogin as login, rolconnlimit as limit, array(
          select o.rolname::text from pg_auth_members m join pg_roles o on o.oid = m.roleid where m.member = a.oid
        ) as owners
        from pg_authid a where rolname = $1`,
      [role],
    );
    return found;
  }

  async #membersOf(owner: string): Promise<string[]> {
    const rows = await this.#admin.query<{ role: string }>(
      `select r.rolname as role
        from pg_auth_members m
        join pg_roles r on r.oid = m.member
        join pg_roles o on o.oid = m.roleid
        where o.rolname = $1`,
      [owner],
    );
    return rows.map(({ role }) => role);
  }
}

/** Returns the statements that limit what a login can use. It cannot change these limits. */
const limit = (user: string): string[] => [
  `alter role ${identifier(user)} connection limit ${String(connectionLimits.perDatabase)}`,
  // Keeps long or frequent messages of the tenant out of the log.
  `alter role ${identifier(user)} set log_min_messages = fatal`,
];
