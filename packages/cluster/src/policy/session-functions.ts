/** How long `mgmt_end_session` waits for the end of a session, in milliseconds. A session that Postgres cannot interrupt continues. */
const terminateBackendTimeoutMs = 5_000;

/**
 * Functions with which the owner of a database sees and terminates its sessions. Postgres itself lets it do neither, because each session has
 * logged in as another role than the owner, as which it then works.
 *
 * They run as the superuser that creates them. They are bound to the functions that they call when they are created, so that no setting of
 * a session changes it, and they work only for sessions that have logged in as a member of the owner role, in its database. A copy of the
 * database has them too, and there they work for the owner of the copy. They are in `pg_catalog`, because dumps leave it out, and have no
 * privileges of their own, because dumps would contain these.
 */
export const sessionFunctions: readonly string[] = [
  `create function pg_catalog.mgmt_sessions() returns setof pg_catalog.pg_stat_activity
    language sql stable security definer set search_path = pg_catalog, pg_temp
    begin atomic
      select a.* from pg_catalog.pg_stat_activity a
        join pg_catalog.pg_database d on d.oid = a.datid and d.datname = pg_catalog.current_database()
        join pg_catalog.pg_roles r on r.oid = a.usesysid and not r.rolsuper
        where pg_catalog.pg_has_role(session_user, d.datdba, 'member');
    end`,
  // A transaction caches the sessions that it has read. One of them may be closed, and its process id may belong to another session.
  `create function pg_catalog.mgmt_end_session(pid integer) returns boolean
    language sql volatile strict security definer set search_path = pg_catalog, pg_temp
    begin atomic
      select pg_catalog.pg_stat_clear_snapshot();
      select coalesce(
        (select pg_catalog.pg_terminate_backend(s.pid, ${String(terminateBackendTimeoutMs)}) from pg_catalog.mgmt_sessions() s where s.pid = $1),
        false);
    end`,
];
