import { setTimeout as sleep } from "node:timers/promises";
import { toUnavailableError } from "./unavailable.js";
import {
  type AdminConnection,
  isConcurrentChangeError,
  isLockTimeoutError,
  quoteIdentifier,
} from "./admin-connection.js";

/** How long sessions that start and whose role is not known are waited for, in milliseconds. */
const startTimeoutMs = 1_000;

/** How long the end of a session may take, in milliseconds. */
const endTimeoutMs = 30_000;

/** Time between checks, in milliseconds. */
const pollIntervalMs = 5;

/** A session has a transaction while it starts, but `pg_stat_activity` does not know its role yet. */
export const startingSessionsFromSql = `
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.locktype = 'virtualxid' and l.pid is not null and a.usesysid is null
    and coalesce(a.backend_type, 'client backend') = 'client backend'`;

interface StartingSession {
  pid: number;
}

/**
 * Ends the sessions of roles that are starting now, and waits until they are gone. They may use a password that has just been
 * changed, or a role that may not log in any more, and cannot be found by their role in Postgres. The titles of their processes
 * tell it. Where there are none, waits a moment until all sessions that are starting now have started or failed. Everybody can
 * begin a login and never finish it, so this is no reason to wait for longer.
 *
 * @param timeoutMs how long to wait for sessions without a title, in milliseconds.
 * @returns the process ids of sessions that are starting still, and may be some of these roles.
 * @throws DatabaseUnavailableError when those of these roles do not end.
 */
export const endStartingSessions = async (
  admin: AdminConnection,
  roles: readonly string[],
  timeoutMs = startTimeoutMs,
): Promise<number[]> => {
  const startedAt = performance.now();
  const sessions = await admin.query<StartingSession>(`select l.pid ${startingSessionsFromSql}`);
  if (sessions.length === 0) return [];
  const titles = await admin.cluster.readTitles(sessions.map(({ pid }) => pid));
  const isOfRoles = ({ pid }: StartingSession): boolean =>
    roles.some((role) => isTitleOfRole(role, titles.get(pid)));
  let endingPids = sessions.filter(isOfRoles).map(({ pid }) => pid);
  let unknownPids = sessions.filter(({ pid }) => !isTitle(titles.get(pid))).map(({ pid }) => pid);
  for (; ; await sleep(pollIntervalMs)) {
    const elapsedMs = performance.now() - startedAt;
    if (endingPids.length === 0 && (unknownPids.length === 0 || elapsedMs >= timeoutMs)) return unknownPids;
    if (elapsedMs >= endTimeoutMs) throw toUnavailableError(new Error("Sessions that start do not end"));
    const remainingSessions = await admin.query<StartingSession>(
      `select l.pid, case when l.pid = any ($2) then pg_terminate_backend(l.pid) end ${startingSessionsFromSql} and l.pid = any ($1)`,
      [[...endingPids, ...unknownPids], endingPids],
    );
    const remainingPids = new Set(remainingSessions.map(({ pid }) => pid));
    endingPids = endingPids.filter((pid) => remainingPids.has(pid));
    unknownPids = unknownPids.filter((pid) => remainingPids.has(pid));
  }
};

/** The prefix of the title of a session. The role of its startup message follows, also while it starts. */
const titlePrefix = "postgres: ";

const isTitle = (title = ""): boolean => title.startsWith(titlePrefix);

const isTitleOfRole = (role: string, title = ""): boolean => title.startsWith(`${titlePrefix}${role} `);

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
      await admin.tryScript([`alter role ${quoteIdentifier(role)} ${change}`]);
      return;
    } catch (error) {
      const isLocked = isLockTimeoutError(error);
      if (!isLocked && !isConcurrentChangeError(error)) throw error;
      if (attempt === maxAttempts) throw toUnavailableError(error);
      await admin.endSessions("usename = $1", role);
    }
  }
};
