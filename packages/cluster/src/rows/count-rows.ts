import { type ClientBase, escapeIdentifier } from "pg";

/** Numbers of rows, for the metrics. */
export interface RecordCounts {
  /** Numbers of databases by status. */
  readonly databases: Readonly<Record<string, number>>;
  /** Numbers of jobs by state: `due`, also while they run, `scheduled`, or `dead`, which failed too often. */
  readonly jobs: Readonly<Record<string, number>>;
  /** How long the oldest job that is due has waited, in seconds. */
  readonly jobLagSeconds: number;
  /** Connections of this process to the records. */
  readonly recordsConnections: Readonly<Record<"total" | "idle" | "waiting", number>>;
  /** Round trips of this process to the records. */
  readonly recordsTrips: number;
}

interface CountRow {
  databases: Record<string, number>;
  due: number;
  scheduled: number;
  dead: number;
  lag: number;
}

/** Counts databases and jobs. */
export const countRows = async (
  client: ClientBase,
  schemaName: string,
): Promise<Pick<RecordCounts, "databases" | "jobs" | "jobLagSeconds">> => {
  const schema = escapeIdentifier(schemaName);
  const { rows } = await client.query<CountRow>(
    `select (
        select coalesce(jsonb_object_agg(status, count), '{}')
        from (select doc->>'status' as status, count(*) from ${schema}.databases group by 1) as d
      ) as databases,
      count(*) filter (where expires_at <= now_ms)::float8 as due,
      count(*) filter (where expires_at > now_ms and not doc ? 'diedAt')::float8 as scheduled,
      count(*) filter (where doc ? 'diedAt')::float8 as dead,
      -- Jobs that are due at once have the time 0.
      coalesce(max(now_ms - expires_at) filter (where expires_at <= now_ms and expires_at > 0), 0)::float8 / 1000 as lag
      from (select extract(epoch from clock_timestamp()) * 1000 as now_ms) as clock
      left join ${schema}.jobs on true`,
  );
  const [row] = rows;
  if (row === undefined) throw new Error("Postgres did not return the counts");
  const { databases, due, scheduled, dead, lag } = row;
  return { databases, jobs: { due, scheduled, dead }, jobLagSeconds: lag };
};
