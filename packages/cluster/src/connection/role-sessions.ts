import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError } from "pg";
import { toUnavailableError } from "./unavailable.js";
import {
  type AdminConnection,
  quoteIdentifier,
  isLockTimeoutError,
  shortLockTimeoutSql,
} from "./admin-connection.js";

/** How long a session whose role is not known may take to start before it is ended, in milliseconds. */
const startTimeoutMs = 5_000;

/** How long the end of a session may take, in milliseconds. */
const endTimeoutMs = 30_000;

/** Time between checks, in milliseconds. */
const pollIntervalMs = 5;

/** A session has a transaction while it starts, but `pg_stat_activity` does not know its role yet. */
const startingSessionsFromSql = `
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.pid is not null and a.usesysid is null
    and coalesce(a.backend_type, 'client backend') = 'client backend'`;

/**
 * Ends the sessions of a role that are starting now, and waits until they are gone. They may use a password that has just been
 * changed, or a role that may not log in any more, and cannot be found by their role in Postgres. The titles of their processes
 * tell it. Where there are none, waits until all sessions that are starting now have started or failed, and then ends those of
 * clients that do not finish their login, or gives up waiting for them in a cluster that others also use.
 *
 * @param timeoutMs how long to wait for sessions without a title, in milliseconds.
 * @throws DatabaseUnavailableError when they do not end.
 */
export const endStartingSessions = async (
  admin: AdminConnection,
  role: string,
  timeoutMs = startTimeoutMs,
): Promise<void> => {
  const startedAt = performance.now();
  const sessions = await admin.query<{ pid: number }>(`select l.pid ${startingSessionsFromSql}`);
  if (sessions.length === 0) return;
  const titles = await admin.cluster.readTitles(sessions.map(({ pid }) => pid));
  const pidsOfRole = new Set(
    sessions.map(({ pid }) => pid).filter((pid) => isTitleOfRole(role, titles.get(pid))),
  );
  let remainingSessions = sessions.filter(({ pid }) => pidsOfRole.has(pid) || !isTitle(titles.get(pid)));
  for (; remainingSessions.length > 0; await sleep(pollIntervalMs)) {
    const elapsedMs = performance.now() - startedAt;
    const hasTimedOut = elapsedMs >= timeoutMs;
    if (hasTimedOut && !admin.cluster.canEndStartingSessions) return;
    if (elapsedMs >= timeoutMs + endTimeoutMs)
      throw toUnavailableError(new Error("Sessions that start do not end"));
    remainingSessions = await admin.query(
      `select l.pid, case when $2 or l.pid = any ($3) then pg_terminate_backend(l.pid) end ${startingSessionsFromSql} and l.pid = any ($1)`,
      [remainingSessions.map(({ pid }) => pid), hasTimedOut, [...pidsOfRole]],
    );
  }
};

/** The prefix of the title of a session. The role of its startup message follows, also while it starts. */
const titlePrefix = "postgres: ";

const isTitle = (title = ""): boolean => title.startsWith(titlePrefix);

const isTitleOfRole = (role: string, title = ""): boolean => title.startsWith(`${titlePrefix}${role} `);

/**
 * Ends the sessions of a role that may not log in any more, also those that are starting.
 *
 * @returns whether there were any.
 * @throws DatabaseUnavailableError when they do not end.
 */
export const endRoleSessions = async (admin: AdminConnection, role: string): Promise<boolean> => {
  await endStartingSessions(admin, role);
  return admin.endSessions("usename = $1", role);
};

/** How often to try to change a role. */
const maxAttempts = 10;

/**
 * Alters a role. If this fails because its sessions change it at the same time, or have changed it in a transaction that does not
 * end, ends them and tries again.
 *
 * @param change the rest of the statement, after the name of the role.
 */
export const alterRole = async (admin: AdminConnection, role: string, change: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.runScript([shortLockTimeoutSql, `alter role ${quoteIdentifier(role)} ${change}`]);
      return;
    } catch (error) {
      const isLocked = isLockTimeoutError(error);
      if (!isLocked && !isConcurrentChangeError(error)) throw error;
      if (attempt === maxAttempts) throw toUnavailableError(error);
      const hadSessions = await admin.endSessions("usename = $1", role);
      // Somebody else holds the lock.
      if (isLocked && !hadSessions) throw error;
    }
  }
};

/**
 * Returns whether Postgres refused a statement because another session has just changed the same row of a catalog, for which
 * it has only the code of internal errors.
 */
export const isConcurrentChangeError = (error: unknown): boolean =>
  error instanceof DatabaseError && error.code === "XX000";
