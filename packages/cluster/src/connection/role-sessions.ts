import { setTimeout as sleep } from "node:timers/promises";
import { toUnavailableError } from "./unavailable.js";
import {
  type AdminConnection,
  isConcurrentChangeError,
  isLockTimeoutError,
  quoteIdentifier,
} from "./admin-connection.js";

/** How long to wait for starting sessions whose role is not known, in milliseconds. */
const startTimeoutMs = 1_000;

/** How long to wait until terminated sessions no longer exist, in milliseconds. */
const terminationTimeoutMs = 30_000;

/** Time between checks, in milliseconds. */
const pollIntervalMs = 5;

/**
 * The `from` and `where` clauses that select starting sessions. Such a session has a transaction, but no role in `pg_stat_activity` yet.
 * `l.pid` is its process id.
 */
export const startingSessionsFromSql = `
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.pid is not null and a.usesysid is null
    and coalesce(a.backend_type, 'client backend') = 'client backend'`;

interface StartingSession {
  pid: number;
}

/**
 * Terminates the starting sessions of some roles, and waits until they no longer exist. Their login may have been checked before the password
 * was changed or the role was disabled. Postgres does not show the role of a starting session, but the title of its process does. Sessions
 * without such a title are not terminated. The function waits until they have started or failed, but at most `timeoutMs`, because a client
 * can begin a login and never finish it.
 *
 * @param timeoutMs milliseconds. Default: 1,000.
 * @returns the process ids of sessions without a title that are still starting, and may belong to one of the roles.
 * @throws DatabaseUnavailableError when sessions of the roles have not ended after 30 seconds.
 */
export const terminateStartingSessions = async (
  admin: AdminConnection,
  roles: readonly string[],
  timeoutMs = startTimeoutMs,
): Promise<number[]> => {
  const startedAt = performance.now();
  const sessions = await admin.query<StartingSession>(`select l.pid ${startingSessionsFromSql}`);
  if (sessions.length === 0) return [];
  const titles = await admin.cluster.readProcessTitles(sessions.map(({ pid }) => pid));
  const isOfRoles = ({ pid }: StartingSession): boolean =>
    roles.some((role) => isTitleOfRole(role, titles.get(pid)));
  let endingPids = sessions.filter(isOfRoles).map(({ pid }) => pid);
  let unknownPids = sessions.filter(({ pid }) => !containsRole(titles.get(pid))).map(({ pid }) => pid);
  for (; ; await sleep(pollIntervalMs)) {
    const elapsedMs = performance.now() - startedAt;
    if (endingPids.length === 0 && (unknownPids.length === 0 || elapsedMs >= timeoutMs)) return unknownPids;
    if (elapsedMs >= terminationTimeoutMs)
      throw toUnavailableError(new Error("Sessions that start do not end"));
    const remainingSessions = await admin.query<StartingSession>(
      `select l.pid, case when l.pid = any ($2) then pg_terminate_backend(l.pid) end ${startingSessionsFromSql} and l.pid = any ($1)`,
      [[...endingPids, ...unknownPids], endingPids],
    );
    const remainingPids = new Set(remainingSessions.map(({ pid }) => pid));
    endingPids = endingPids.filter((pid) => remainingPids.has(pid));
    unknownPids = unknownPids.filter((pid) => remainingPids.has(pid));
  }
};

/**
 * The prefix of the title of the process of a session. The role of the startup message follows, and a space, also while the session starts. See
 * https://www.postgresql.org/docs/current/monitoring-ps.html.
 */
const titlePrefix = "postgres: ";

/** Returns whether a process has a title that contains its role. `title` is undefined or empty if the platform cannot read it. */
const containsRole = (title = ""): boolean => title.startsWith(titlePrefix);

const isTitleOfRole = (role: string, title = ""): boolean => title.startsWith(`${titlePrefix}${role} `);

/** How many times to try to alter a role. */
const maxAttempts = 10;

/**
 * Alters a role. If this fails because sessions of the role change it at the same time, or have changed it in a transaction that is still
 * open, terminates these sessions and tries again.
 *
 * @param change the rest of the statement `alter role`, after the name of the role.
 * @throws DatabaseUnavailableError when ten attempts have failed.
 */
export const alterRole = async (admin: AdminConnection, role: string, change: string): Promise<void> => {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await admin.tryScript([`alter role ${quoteIdentifier(role)} ${change}`]);
      return;
    } catch (error) {
      const isLocked = isLockTimeoutError(error);
      if (!isLocked && !isConcurrentChangeError(error)) throw error;
      if (attempt === maxAttempts) throw toUnavailableError(error);
      await admin.terminateSessions("usename = $1", role);
    }
  }
};
