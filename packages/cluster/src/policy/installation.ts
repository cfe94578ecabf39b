import { createHmac, randomBytes } from "node:crypto";
import { RecentMap } from "@mgmt/internal/values/recent-map";
import { escapeLiteral } from "pg";
import { getLastPart, systemNames } from "./names.js";

/** The id and the secret of an installation, as the records store them. */
export interface InstallationKeys {
  /** 16 hexadecimal digits, which are part of names in Postgres. */
  readonly id: string;
  /** Random bytes, from which the keys of advisory locks are derived. */
  readonly secret: string;
}

/** Returns the keys of a new installation. */
export const createInstallationKeys = (): InstallationKeys => ({
  id: randomBytes(8).toString("hex"),
  secret: randomBytes(32).toString("base64url"),
});

/** Every transaction that writes takes locks, mostly the same ones. */
const maxLockKeys = 1_000;

const buildRoleCommentCondition = (condition: string): string => `exists (
    select from pg_shdescription where classoid = 'pg_authid'::regclass and objoid = r.oid and ${condition})`;

/**
 * One installation of the service. A cluster can have several installations, and databases and roles of other services: an installation
 * never changes what it has not created. A role of the installation has a comment with its id, which tenants cannot change. A database of
 * the installation belongs to such a role from the moment it exists: to `platformRole`, or to the owner role of its tenant.
 */
export class Installation {
  readonly keys: InstallationKeys;
  /** Owns prepared databases, unfinished copies and backups. No one can log in as this role. */
  readonly platformRole: string;
  /** The comment of an owner role. The comments of the installation's other roles begin with this one and a space. */
  readonly roleComment: string;
  /** The comment of a role that could not be dropped yet, because other tenants granted it privileges, or have locked it. */
  readonly retiredRoleComment: string;
  readonly #loginCommentPrefix: string;
  readonly #lockKeys = new RecentMap<string, string>(maxLockKeys);

  /** SQL condition on the role `r` in `pg_roles` or `pg_authid` for a role of the installation. */
  readonly platformRoleCondition: string;
  /** SQL condition on the role `r` for the login role of a connection. */
  readonly loginRoleCondition: string;
  /** SQL condition on the role `r` for a role that remains only until nothing refers to it. */
  readonly retiredRoleCondition: string;
  /** SQL condition on the database `d` in `pg_database` for a database of the installation. */
  readonly platformDatabaseCondition: string;
  /** SQL condition on the database `d` in `pg_database` for a database of a tenant. */
  readonly tenantDatabaseCondition: string;

  readonly retainedNamePrefix: string;
  readonly preparedNamePrefix: string;
  /** Starts the name of a prepared database until it is complete. */
  readonly unfinishedPreparedNamePrefix: string;

  constructor(keys: InstallationKeys) {
    this.keys = keys;
    this.platformRole = `mgmt.${keys.id}`;
    this.roleComment = `mgmt ${keys.id}`;
    this.retiredRoleComment = `${this.roleComment} retired`;
    this.#loginCommentPrefix = `${this.roleComment} connection `;
    this.platformRoleCondition = buildRoleCommentCondition(
      `(description = ${escapeLiteral(this.roleComment)} or starts_with(description, ${escapeLiteral(`${this.roleComment} `)}))`,
    );
    this.loginRoleCondition = buildRoleCommentCondition(
      `starts_with(description, ${escapeLiteral(this.#loginCommentPrefix)})`,
    );
    this.retiredRoleCondition = buildRoleCommentCondition(
      `description = ${escapeLiteral(this.retiredRoleComment)}`,
    );
    this.platformDatabaseCondition = `exists (select from pg_roles r where r.oid = d.datdba and ${this.platformRoleCondition})`;
    this.tenantDatabaseCondition = `d.datname not like '%.%'
      and d.datname not in (${systemNames.map(escapeLiteral).join(", ")}) and ${this.platformDatabaseCondition}`;
    this.retainedNamePrefix = `kept.${keys.id}.`;
    this.preparedNamePrefix = `spare.${keys.id}.`;
    this.unfinishedPreparedNamePrefix = `${this.preparedNamePrefix}making.`;
  }

  /** Returns the comment of the login role of a connection. */
  buildLoginComment(connectionId: string): string {
    return this.#loginCommentPrefix + connectionId;
  }

  /** Returns the name of a copy that later becomes the database `name`. */
  toStagingName(name: string): string {
    return `making.${this.keys.id}.${name}`;
  }

  /** Returns the name of a database that a restore has replaced, until it is dropped. */
  toReplacedName(name: string): string {
    return `replaced.${this.keys.id}.${name}`;
  }

  /**
   * Returns the name of a database or backup that is not in the records, while it is retained.
   *
   * @param date the day since which it is retained, as `YYYYMMDD`.
   */
  toRetainedName(name: string, date: string): string {
    return `${this.retainedNamePrefix}${date}.${getLastPart(name)}`;
  }

  /** Returns the key of the advisory lock with this name, a number that others cannot compute. */
  toLockKey(name: string): string {
    const cachedKey = this.#lockKeys.get(name);
    if (cachedKey !== undefined) return cachedKey;
    const key = createHmac("sha256", this.keys.secret).update(name).digest().readBigInt64BE().toString();
    this.#lockKeys.set(name, key);
    return key;
  }
}
