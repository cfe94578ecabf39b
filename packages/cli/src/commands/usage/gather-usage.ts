import { setTimeout as sleep } from "node:timers/promises";
import type { Branch, Database, MgmtClient, Project, Usage } from "@mgmt/sdk";
import type { Context } from "../../input/context.js";
import { parseRecord } from "../../preview/record.js";
import { ApiError } from "../../sdk/sdk.js";

/** The resource type by which the result is grouped. */
export type UsageGrouping = "database" | "project" | "branch" | "preview";

/** What one resource has used. */
export interface UsageRow {
  /** Id of the database, project, or branch, or null for the databases of a project without one. */
  readonly id: string | null;
  readonly name: string | null;
  readonly project: { readonly id: string; readonly name: string | null };
  /** Number of its databases. */
  readonly databases: number;
  readonly operations: Usage["metrics"]["operations"];
  readonly storage: Usage["metrics"]["storage"];
  /** As requested. A service without a history, such as `mgmt dev`, counts operations since each database was created or last restored. */
  readonly period: Usage["period"];
}

export type UsageResult = readonly UsageRow[];

export interface UsageScope {
  /** Undefined means all projects. */
  readonly projectId: string | undefined;
  readonly by: UsageGrouping;
  /** Start of the period, or undefined for the start of the month. */
  readonly startDate: string | undefined;
}

/** Maximum number of concurrent requests. */
const maxConcurrentRequests = 8;
/** How often one database is asked for after the client has given up because of a limit of the service. */
const maxAttempts = 5;

/** Asks the service for the usage of all databases, and adds it up. The results are in the order of the databases. */
export const gatherUsage = async (
  { projectId, by, startDate }: UsageScope,
  client: MgmtClient,
  context: Pick<Context, "output" | "signal">,
): Promise<UsageRow[]> => {
  const { signal } = context;
  const [projects, databases] = await Promise.all([
    projectId === undefined
      ? client.projects.list({ limit: 1_000 }, { signal }).toArray()
      : client.projects.get(projectId, { signal }).then((project) => [project]),
    client.databases
      .list({ limit: 1_000, ...(projectId !== undefined && { projectId }) }, { signal })
      .toArray(),
  ]);
  const branches = by === "branch" || by === "preview" ? await listBranches(databases, client, signal) : [];
  const usages = await fetchUsages(databases, startDate, client, context);
  const rows = new Map<string, UsageRow>();
  for (const database of databases) {
    const usage = usages.get(database.id);
    if (!usage) continue;
    const row = describeRow(database, by, projects, branches);
    const key = `${row.project.id}/${row.id ?? ""}`;
    rows.set(key, addUsage(rows.get(key), row, usage));
  }
  return [...rows.values()];
};

const listBranches = async (
  databases: readonly Database[],
  client: MgmtClient,
  signal: AbortSignal,
): Promise<Branch[]> => {
  const branches: Branch[] = [];
  for (const id of new Set(databases.map(({ project }) => project.id)))
    branches.push(
      ...(await client.projects.branches
        .list(id, { limit: 1_000 }, { signal })
        .toArray()
        .catch(ignoreMissing([]))),
    );
  return branches;
};

type RowSubject = Pick<UsageRow, "id" | "name" | "project">;

const describeRow = (
  database: Database,
  by: UsageGrouping,
  projects: readonly Pick<Project, "id" | "name">[],
  branches: readonly Branch[],
): RowSubject => {
  const { id: projectId } = database.project;
  const project = { id: projectId, name: projects.find(({ id }) => id === projectId)?.name ?? null };
  if (by === "database") return { id: database.id, name: database.name, project };
  if (by === "project") return { ...project, project };
  const branch = branches.find(({ id }) => id === database.branchId);
  const isCounted = branch && (by === "branch" || parseRecord(database) !== undefined);
  return { id: isCounted ? branch.id : null, name: isCounted ? branch.gitName : null, project };
};

const addUsage = (row: UsageRow | undefined, subject: RowSubject, { metrics, period }: Usage): UsageRow => ({
  ...subject,
  databases: (row?.databases ?? 0) + 1,
  operations: { ...metrics.operations, used: addExactly(row?.operations.used ?? 0, metrics.operations.used) },
  storage: { ...metrics.storage, used: addExactly(row?.storage.used ?? 0, metrics.storage.used) },
  period: row?.period ?? period,
});

/** The digits of a decimal that a number holds exactly. */
const exactDigits = 15;

/** Adds without the error of binary fractions: 0.1 and 0.2 are 0.3. */
const addExactly = (left: number, right: number): number => Number((left + right).toPrecision(exactDigits));

/** Returns the usage by the id of the database. Those that no longer exist are left out, with a notice. */
const fetchUsages = async (
  databases: readonly Database[],
  startDate: string | undefined,
  client: MgmtClient,
  { output, signal }: Pick<Context, "output" | "signal">,
): Promise<Map<string, Usage>> => {
  const usages = new Map<string, Usage>();
  const waitingDatabases = [...databases];
  const failure = new AbortController();
  const anySignal = AbortSignal.any([signal, failure.signal]);
  let pause: Promise<unknown> = Promise.resolve();
  const fetchUsage = async (id: string, attempt = 1): Promise<Usage | undefined> => {
    await pause;
    try {
      return await client.databases.usage.get(id, startDate === undefined ? undefined : { startDate }, {
        signal: anySignal,
      });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const { status, retryAfter } = error;
      if (status === 403 || status === 404) return undefined;
      if (status !== 429 || retryAfter === undefined || attempt >= maxAttempts) throw error;
      // All requests share one rate limit, so all of them pause.
      pause = sleep(retryAfter * 1_000, undefined, { signal: anySignal });
      output.noticeOnce({
        code: "usage:rate_limit",
        message: `The service limits requests. Waiting ${String(retryAfter)} seconds.`,
      });
      return fetchUsage(id, attempt + 1);
    }
  };
  const fetchWaiting = async (): Promise<void> => {
    for (let database = waitingDatabases.shift(); database; database = waitingDatabases.shift()) {
      const { id, name } = database;
      const usage = await fetchUsage(id);
      if (usage) usages.set(id, usage);
      else {
        const message = `Database ${name} (${id}) no longer exists, and is left out.`;
        output.notice({ code: "usage:skipped", message, id });
      }
    }
  };
  try {
    await Promise.all(Array.from({ length: maxConcurrentRequests }, fetchWaiting));
  } catch (error) {
    failure.abort();
    throw error;
  }
  return usages;
};

/** A resource that was deleted meanwhile has nothing. */
const ignoreMissing =
  <T>(fallback: T) =>
  (error: unknown): T => {
    if (error instanceof ApiError && [403, 404].includes(error.status)) return fallback;
    throw error;
  };
