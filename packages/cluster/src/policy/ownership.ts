import { escapeIdentifier, escapeLiteral } from "pg";
import { systemNames } from "./names.js";
import type { Cluster } from "./cluster.js";

/**
 * Tells the databases and roles that the platform made from those that others made in the same cluster, which it never
 * touches. A role of the platform has a comment that tenants cannot change. A database of the platform belongs to such a role
 * from the moment it exists: to `platformRole`, or to the owner role of its tenant.
 */

/** Owns prepared databases, unfinished copies and backups. Nobody can log in as this role. */
export const platformRole = "mgmt.platform";

const platformMark = "mgmt";
/** Marks a role that could not be dropped yet, because other tenants granted it privileges, or have locked it. */
export const retiredMark = "mgmt retired";

const loginMarkPrefix = `${platformMark} connection `;
/** Returns the mark of the login role of a connection. */
export const buildLoginMark = (connectionId: string): string => `${loginMarkPrefix}${connectionId}`;

/**
 * Returns the statements that create a role of the platform. The options follow its name. The platform gets the privileges of the
 * role, to give databases to it and to end its sessions.
 */
export const buildCreateRoleStatements = (
  cluster: Pick<Cluster, "buildJoinRoleStatements">,
  name: string,
  options: string,
  comment = platformMark,
): string[] => [
  `create role ${escapeIdentifier(name)} ${options}`,
  buildMarkRoleStatement(name, comment),
  ...cluster.buildJoinRoleStatements(name),
];

/** Returns the statement that marks a role as one of the platform. */
export const buildMarkRoleStatement = (name: string, comment = platformMark): string =>
  `comment on role ${escapeIdentifier(name)} is ${escapeLiteral(comment)}`;

/** Returns the statement that marks a role as one that could not be dropped yet. */
export const buildRetireRoleStatement = (name: string): string => buildMarkRoleStatement(name, retiredMark);

/** Returns the statement that starts the sessions of a login as the owner role, so that connections share all objects. */
export const buildStartAsOwnerStatement = (user: string, owner: string): string =>
  `alter role ${escapeIdentifier(user)} set role = ${escapeIdentifier(owner)}`;

/** Returns the statement that keeps long or frequent messages of a login out of the log. */
export const buildLogLevelStatement = (
  { ignorePrivilegeErrors }: Pick<Cluster, "ignorePrivilegeErrors">,
  user: string,
): string => ignorePrivilegeErrors(`alter role ${escapeIdentifier(user)} set log_min_messages = fatal`);

const buildRoleCommentCondition = (condition: string): string => `exists (
    select from pg_shdescription where classoid = 'pg_authid'::regclass and objoid = r.oid and ${condition})`;

/** SQL condition on the role `r` in `pg_roles` or `pg_authid` for a role of the platform. */
export const platformRoleCondition = buildRoleCommentCondition(
  `(description = ${escapeLiteral(platformMark)} or starts_with(description, ${escapeLiteral(`${platformMark} `)}))`,
);

/** SQL condition on the role `r` for the login role of a connection. */
export const loginRoleCondition = buildRoleCommentCondition(
  `starts_with(description, ${escapeLiteral(loginMarkPrefix)})`,
);

/** SQL condition on the role `r` for a role that remains only until nothing refers to it. */
export const retiredRoleCondition = buildRoleCommentCondition(`description = ${escapeLiteral(retiredMark)}`);

/** SQL condition on the database `d` in `pg_database` for a database of the platform. */
export const platformDatabaseCondition = `exists (select from pg_roles r where r.oid = d.datdba and ${platformRoleCondition})`;

/** SQL condition on the database `d` in `pg_database` for a database of a tenant. */
export const tenantDatabaseCondition = `d.datname not like '%.%'
  and d.datname not in (${systemNames.map(escapeLiteral).join(", ")}) and ${platformDatabaseCondition}`;
