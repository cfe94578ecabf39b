import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { commandLine, descendantsOf } from "../../packages/platform/test/processes.js";
import type { MgmtDev } from "./mgmt-dev.js";

/** Lines at the end of a log that are shown. */
const shownLines = 50;
/** Time that Postgres may take to describe its sessions, in milliseconds. */
const patience = 5_000;

/** Describes a platform that does not respond: its processes, the sessions of Postgres, and the ends of its logs. */
export const diagnose = async (dev: MgmtDev): Promise<string> => {
  const pids = dev.pid === undefined ? [] : [dev.pid, ...descendantsOf(dev.pid)];
  const processes = await Promise.all(pids.map(describeProcess));
  return [
    ...section("Processes", processes),
    ...section("Sessions of Postgres", await sessionsOf(dev)),
    ...section(dev.log, await endOf(dev.log)),
    ...section("postgres.log", await endOf(join(dev.dataDir, "postgres.log"))),
  ].join("\n");
};

const section = (title: string, lines: readonly string[]): string[] => [
  `${title}:`,
  ...lines.map((line) => `  ${line}`),
];

const describeProcess = async (pid: number): Promise<string> => {
  const stat = await readFile(`/proc/${String(pid)}/stat`, "utf8").catch(() => ") ended");
  return `${String(pid)} ${stat.slice(stat.lastIndexOf(")") + 2).split(" ")[0] ?? ""} ${commandLine(pid).slice(0, 120)}`;
};

const sessionsOf = async (dev: MgmtDev): Promise<string[]> => {
  const read = async (): Promise<string[]> => {
    const admin = await dev.connectAsAdmin();
    const { rows } = await admin.query<Record<string, unknown>>(
      `select pid, datname, state, wait_event_type, wait_event, pg_blocking_pids(pid) as blocked_by, left(query, 100) as query
        from pg_stat_activity where backend_type = 'client backend'`,
    );
    await admin.end();
    return rows.map((row) => JSON.stringify(row));
  };
  const tooLate = sleep(patience, ["They cannot be read: Postgres does not answer"], { ref: false });
  return Promise.race([read(), tooLate]).catch((error: unknown) => [
    error instanceof Error ? error.message : String(error),
  ]);
};

const endOf = async (path: string): Promise<string[]> => {
  const text = await readFile(path, "utf8").catch(() => "");
  return text.trim().split("\n").slice(-shownLines);
};
