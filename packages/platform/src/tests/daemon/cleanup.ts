import { type Client, escapeIdentifier } from "pg";
import { databasePrefixes, lockKeys, ownerRole } from "../server/registry.js";

/** How many templates are kept, and for how many days without use. Those that a runner uses are kept. */
const maxTemplateCount = 12;
const templateDays = 7;

/** How many databases of failed tests are kept, and for how many days. */
const maxRetainedCount = 20;
const retainedDays = 7;

/** Names of databases that are not test databases. */
const systemDatabases = ["postgres", "template0", "template1"];

/**
 * Marks the databases and drops the roles of runners that have exited. A runner that still runs holds a lock. After the exit of the last
 * one, marks databases that tests have created themselves as well.
 */
export const removeExitedRunners = async (session: Client): Promise<void> => {
  const { rows: runners } = await session.query<{ id: number; role: string }>(
    `select id, role from mgmt_test.owner o where not exists (
      select from pg_locks where locktype = 'advisory' and classid = $1::oid and objid = o.id::oid and objsubid = 2)`,
    [lockKeys.runner],
  );
  if (runners.length === 0) return;
  const ids = runners.map(({ id }) => id);
  await session.query(
    "update mgmt_test.database set state = 'ended', owner = null, ended_at = clock_timestamp() where owner = any ($1) and state <> 'retained'",
    [ids],
  );
  await session.query("delete from mgmt_test.waiter where owner = any ($1)", [ids]);
  await session.query("delete from mgmt_test.owner where id = any ($1)", [ids]);
  for (const { role } of runners) await dropRole(session, role);
  // A copy is in the registry only when it is complete.
  await markUnregisteredDatabases(
    session,
    `not exists (select from mgmt_test.owner) and datname !~ '^${databasePrefixes.copy}[0-9a-f]{16}$'`,
  );
};

/** Marks databases that are not in the registry as ended, so that they are dropped: tests have created them. */
const markUnregisteredDatabases = async (session: Client, condition: string): Promise<void> => {
  await session.query(
    `insert into mgmt_test.database (name, template, state)
      select datname, '', 'ended' from pg_database
      where datname <> all ($1) and datname not in (select database from mgmt_test.template) and ${condition}
      on conflict (name) do nothing`,
    [systemDatabases],
  );
};

/** Drops a role. If Postgres refuses, because a test has granted the role something, the role remains until the next start. */
const dropRole = async (session: Client, role: string): Promise<void> => {
  const name = escapeIdentifier(role);
  await session
    .query(
      `reassign owned by ${name} to ${escapeIdentifier(ownerRole)}; drop owned by ${name}; drop role ${name}`,
    )
    .catch(() => undefined);
};

/** How many templates keep copies for the next run, besides those that tests use now. */
const maxReadyTemplateCount = 2;

/**
 * Ends templates, their copies, and databases of failed tests that are too old or too many.
 *
 * @param templates `known`: those that a runner may need, which remain; `active`: those that tests use now, whose copies remain.
 */
export const prune = async (
  session: Client,
  { known, active }: { readonly known: readonly string[]; readonly active: readonly string[] },
): Promise<void> => {
  await session.query("update mgmt_test.template set used_at = now() where id = any ($1)", [active]);
  await session.query(
    `update mgmt_test.database set state = 'ended' where state = 'ready' and template <> all ($1)
      and template not in (select id from mgmt_test.template order by used_at desc limit $2)`,
    [active, maxReadyTemplateCount],
  );
  await session.query(
    `with old as (
        select id, database from mgmt_test.template t
        where (used_at < now() - make_interval(days => $1)
            or id not in (select id from mgmt_test.template order by used_at desc limit $2))
          and not exists (select from mgmt_test.database d where d.template = t.id and d.state in ('used', 'making'))
          and not exists (select from mgmt_test.waiter w where w.template = t.id)
          and id <> all ($3)),
      copies as (update mgmt_test.database set state = 'ended' where state = 'ready' and template in (select id from old)),
      databases as (
        insert into mgmt_test.database (name, template, state) select database, id, 'ended' from old
        on conflict (name) do nothing)
      delete from mgmt_test.template where id in (select id from old)`,
    [templateDays, maxTemplateCount, known],
  );
  await session.query(
    `update mgmt_test.database set state = 'ended' where state = 'retained' and (
      created_at < now() - make_interval(days => $1)
      or name not in (select name from mgmt_test.database where state = 'retained' order by created_at desc limit $2))`,
    [retainedDays, maxRetainedCount],
  );
  await session.query("delete from mgmt_test.failure where asked_at < now() - interval '1 minute'");
};

/**
 * Repairs the registry when the server has just started, and has no runners: the runners of an earlier server no longer exist. Ends
 * databases that tests have created themselves, and removes databases that do not exist from the registry.
 */
export const repairRegistry = async (session: Client): Promise<void> => {
  await session.query("truncate mgmt_test.waiter, mgmt_test.failure");
  const { rows: roles } = await session.query<{ role: string }>("delete from mgmt_test.owner returning role");
  await session.query(
    "delete from mgmt_test.template where database not in (select datname from pg_database)",
  );
  await session.query(
    `delete from mgmt_test.database where name not in (select datname from pg_database);
     update mgmt_test.database set state = 'ended', owner = null where state not in ('ready', 'retained');
     update mgmt_test.database set state = 'ended' where state = 'ready' and template not in (select id from mgmt_test.template)`,
  );
  await markUnregisteredDatabases(session, "true");
  for (const { role } of roles) await dropRole(session, role);
};
