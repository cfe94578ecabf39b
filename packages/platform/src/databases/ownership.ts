import { type Admin, identifier, literal } from "./admin.js";
import { sparePrefix } from "./names.js";

/**
 * Tells the databases and roles that the platform made from those that others made in the same cluster, which it never
 * touches. A role of the platform has a comment that tenants cannot change. A database of the platform belongs to such a role
 * from the moment it exists: to `platformRole`, or to the owner role of its tenant.
 */

/** Owns spare databases, unfinished copies and backups. Nobody can log in as this role. */
export const platformRole = "mgmt.platform";

const mark = "mgmt";

/** Returns the statements that create a role of the platform. The options follow its name. */
export const createRole = (name: string, options: string): string[] => [
  `create role ${identifier(name)} ${options}`,
  markRole(name),
];

const markRole = (name: string): string => `comment on role ${identifier(name)} is ${literal(mark)}`;

/** SQL condition on the role `r` in `pg_roles` or `pg_authid` for a role of the platform. */
export const isOurRole = `exists (
    select from pg_shdescription
    where classoid = 'pg_authid'::regclass and objoid = r.oid and description = ${literal(mark)})`;

/** SQL condition on the database `d` in `pg_database` for a database of the platform. */
export const isOurs = `exists (select from pg_roles r where r.oid = d.datdba and ${isOurRole})`;

/**
 * Marks what an earlier version of the platform made. Does nothing in a cluster that has `platformRole`.
 *
 * @param names names of the databases in the records.
 */
export const adoptEarlier = async (admin: Admin, names: readonly string[]): Promise<void> => {
  const present = await admin.query("select from pg_roles where rolname = $1", [platformRole]);
  if (present.length > 0) return;
  const roles = await admin.query<{ name: string }>(
    `select rolname as name from pg_roles
      where rolname = any ($1) or rolname ~ '^(db_[a-z0-9]{24}|x_[0-9a-f]{29})$'
      union
      select m.rolname from pg_auth_members a join pg_roles m on m.oid = a.member join pg_roles o on o.oid = a.roleid
      where o.rolname = any ($1) or o.rolname ~ '^(db_[a-z0-9]{24}|x_[0-9a-f]{29})$'`,
    [names],
  );
  const databases = await admin.query<{ name: string }>(
    `select datname as name from pg_database
      where datconnlimit <> -2
        and (starts_with(datname, ${literal(sparePrefix)}) or datname ~ '^(making|replaced)[.]' or split_part(datname, '.', 1) = any ($1)
          and datname like '%.%')`,
    [names],
  );
  await admin.script([
    "begin",
    ...createRole(platformRole, "nologin"),
    ...roles.map(({ name }) => markRole(name)),
    ...databases.map(({ name }) => `alter database ${identifier(name)} owner to ${identifier(platformRole)}`),
    "commit",
  ]);
};
