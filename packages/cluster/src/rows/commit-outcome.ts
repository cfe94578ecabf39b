import { setTimeout as sleep } from "node:timers/promises";
import type { TableChanges } from "@mgmt/engine/internal";
import { DatabaseError, type Pool, type PoolClient, escapeIdentifier } from "pg";
import { literal } from "./reads.js";
import { sqlName } from "./tables.js";
import { document } from "./writes.js";

/** Name of the sessions that change the records, as `pg_stat_activity` shows it. */
export const applicationName = "mgmt records";

/** Whether a commit whose response was lost took effect. */
export type Outcome = "committed" | "not committed" | "unknown";

/** Returns whether an error ended the connection, so that a commit may have taken effect before it. */
export const isLost = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || (error.severity !== "ERROR" && error.severity !== undefined);

/** Milliseconds between checks. */
const retryDelay = 100;

export interface LostCommit {
  readonly pool: Pool;
  readonly schema: string;
  /** The process id of the session that was lost; null when there was none. */
  readonly backend: number | null;
  readonly changes: readonly TableChanges[];
  /** How long to keep trying, in milliseconds. The request waits meanwhile. */
  readonly patience: number;
}

/** Finds out from the rows whether a commit took effect. */
export const findOutcome = async (lost: LostCommit): Promise<Outcome> => {
  for (
    const deadline = performance.now() + lost.patience;
    performance.now() < deadline;
    await sleep(retryDelay)
  ) {
    try {
      if (lost.backend !== null && (await isWorking(lost.pool, lost.backend))) continue;
      return outcomeOf(await read(lost));
    } catch {
      // Postgres is still unavailable.
    }
  }
  return "unknown";
};

/** Returns whether the lost session is still working. Ends it if it waits for statements that can no longer arrive. */
const isWorking = async (pool: Pool, backend: number): Promise<boolean> => {
  const { rows } = await pool.query<{ state: string }>(
    "select state from pg_stat_activity where pid = $1 and application_name = $2 and state <> 'idle'",
    [backend, applicationName],
  );
  const [session] = rows;
  if (session === undefined) return false;
  if (session.state.startsWith("idle in transaction"))
    await pool.query("select pg_terminate_backend($1)", [backend]);
  return true;
};

/** The state of a row: as before the change, as the change left it, or something else. */
type Seen = "before" | "after" | "other";

interface Evidence {
  readonly kind: "insert" | "update" | "delete";
  readonly seen: Seen;
}

const outcomeOf = (evidence: readonly Evidence[]): Outcome => {
  const has = (kind: Evidence["kind"], seen: Seen): boolean =>
    evidence.some((item) => item.kind === kind && item.seen === seen);
  // A row that still has its old version proves that nothing was committed. Ids are never reused, so a row with the id of an
  // insertion proves the commit. Rows may have been changed or deleted since.
  if (has("update", "before") || has("delete", "before")) return "not committed";
  if (has("insert", "after") || has("update", "after")) return "committed";
  if (has("delete", "after") && !has("update", "other")) return "committed";
  return evidence.every(({ kind }) => kind === "insert") ? "not committed" : "unknown";
};

const read = async ({ pool, schema, changes }: LostCommit): Promise<Evidence[]> => {
  const statements = changes.flatMap((tableChanges) => evidenceOf(schema, tableChanges));
  if (statements.length === 0) return [];
  const client: PoolClient = await pool.connect();
  try {
    const { rows } = await client.query<Evidence>(statements.join(" union all "));
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
};

const evidenceOf = (schema: string, { table, deletes, updates, inserts }: TableChanges): string[] => {
  const from = `from ${escapeIdentifier(schema)}.${sqlName(table)}`;
  const select = (kind: Evidence["kind"], seen: string): string =>
    `select ${literal(kind)} as kind, ${seen} as seen`;
  return [
    ...inserts.flatMap(({ row }) =>
      row === null
        ? []
        : [
            select(
              "insert",
              `case when exists (select ${from} where id = ${literal(row.id)}) then 'after' else 'before' end`,
            ),
          ],
    ),
    ...updates.map(({ id, version, row }) =>
      select(
        "update",
        `coalesce((select case when xmin::text = ${literal(version)} then 'before'
          when doc = ${document(row)} then 'after' else 'other' end ${from} where id = ${literal(id)}), 'other')`,
      ),
    ),
    ...deletes.map(({ id, version }) =>
      select(
        "delete",
        `coalesce((select case when xmin::text = ${literal(version)} then 'before' else 'other' end
          ${from} where id = ${literal(id)}), 'after')`,
      ),
    ),
  ];
};
