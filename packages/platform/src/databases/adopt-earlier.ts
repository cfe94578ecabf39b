import { type Admin, identifier, literal } from "./admin.js";
import { sparePrefix } from "./names.js";
import { createRole, markRole, platformRole } from "./ownership.js";

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
    ...createRole(admin, platformRole, "nologin"),
    ...roles.map(({ name }) => markRole(name)),
    ...databases.map(({ name }) => `alter database ${identifier(name)} owner to ${identifier(platformRole)}`),
  ]);
};
