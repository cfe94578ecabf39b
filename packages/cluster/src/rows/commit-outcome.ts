import { setTimeout as sleep } from "node:timers/promises";
import { DatabaseError, type Pool, type PoolClient, escapeIdentifier } from "pg";
import { recordsApplicationName } from "../policy/server-identity.js";
import { quoteStorableLiteral } from "./reads.js";
import { toSqlName } from "./sql-names.js";
import { type EncodedChanges, quoteDocument } from "./writes.js";

/** Whether a commit whose response was lost took effect. */
export type CommitOutcome = "committed" | "not committed" | "unknown";

/** Returns whether an error closed the connection, so that a commit may have taken effect before it. */
export const isConnectionLossError = (error: unknown): boolean =>
  !(error instanceof DatabaseError) || (error.severity !== "ERROR" && error.severity !== undefined);

/** Milliseconds between checks. */
const retryDelayMs = 100;

/** A transaction whose connection was lost while it was being committed, so that its outcome is not known. */
export interface LostCommit {
  readonly pool: Pool;
  readonly schema: string;
  /** The process id of the session that was lost; null when there was none. */
  readonly backendPid: number | null;
  readonly changes: readonly EncodedChanges[];
  /** How long to keep trying, in milliseconds. The request waits meanwhile. */
  readonly timeoutMs: number;
}

/** Finds out from the rows whether a commit took effect. */
export const determineCommitOutcome = async (lostCommit: LostCommit): Promise<CommitOutcome> => {
  for (
    const deadline = performance.now() + lostCommit.timeoutMs;
    performance.now() < deadline;
    await sleep(retryDelayMs)
  ) {
    try {
      const { pool, backendPid } = lostCommit;
      const sessionState = backendPid === null ? undefined : await readSessionState(pool, backendPid);
      if (sessionState === undefined) {
        const outcome = deriveOutcome(await readEvidence(lostCommit));
        if (outcome === "committed") await confirmReplication(pool, deadline - performance.now());
        return outcome;
      }
      // The session waits for statements of a connection that is lost.
      if (sessionState.startsWith("idle in transaction"))
        await pool.query("select pg_terminate_backend($1)", [backendPid]);
    } catch {
      // Postgres is still unavailable.
    }
  }
  return "unknown";
};

/**
 * Waits until synchronous standbys, if there are any, have what was committed. Postgres shows the rows of a commit that waits for them when
 * its session ends, although they may be lost then. Each commit waits for all before it.
 *
 * A `statement_timeout` could not limit that: Postgres would report success. See
 * https://www.postgresql.org/docs/current/warm-standby.html#SYNCHRONOUS-REPLICATION-HA.
 *
 * @throws Error when it takes too long.
 */
const confirmReplication = (pool: Pool, timeoutMs: number): Promise<unknown> => {
  const confirmation = pool.query("select pg_logical_emit_message(true, 'mgmt', '')");
  return Promise.race([
    confirmation,
    sleep(Math.max(0, timeoutMs), undefined, { ref: false }).then(() => {
      throw new Error("The commit is not replicated");
    }),
  ]);
};

/** Returns the state of the lost session; undefined when it is closed or idle. */
const readSessionState = async (pool: Pool, backendPid: number): Promise<string | undefined> => {
  const { rows } = await pool.query<{ state: string }>(
    "select state from pg_stat_activity where pid = $1 and starts_with(application_name, $2) and state <> 'idle'",
    [backendPid, recordsApplicationName],
  );
  return rows[0]?.state;
};

/** The state of a row: as before the change, as the change left it, or something else. */
type RowState = "before" | "after" | "other";

interface RowEvidence {
  readonly kind: "insert" | "update" | "delete";
  readonly state: RowState;
}

const deriveOutcome = (evidence: readonly RowEvidence[]): CommitOutcome => {
  const hasEvidence = (kind: RowEvidence["kind"], state: RowState): boolean =>
    evidence.some((item) => item.kind === kind && item.state === state);
  // A row that still has its old version proves that nothing was committed. Ids are never reused, so a row with the id of an
  // insertion proves the commit. Rows may have been changed or deleted since.
  if (hasEvidence("update", "before") || hasEvidence("delete", "before")) return "not committed";
  if (hasEvidence("insert", "after") || hasEvidence("update", "after")) return "committed";
  if (hasEvidence("delete", "after") && !hasEvidence("update", "other")) return "committed";
  return evidence.every(({ kind }) => kind === "insert") ? "not committed" : "unknown";
};

const readEvidence = async ({ pool, schema, changes }: LostCommit): Promise<RowEvidence[]> => {
  const statements = changes.flatMap((tableChanges) => buildEvidenceStatements(schema, tableChanges));
  if (statements.length === 0) return [];
  const client: PoolClient = await pool.connect();
  try {
    const { rows } = await client.query<RowEvidence>(statements.join(" union all "));
    client.release();
    return rows;
  } catch (error) {
    client.release(true);
    throw error;
  }
};

const buildEvidenceStatements = (
  schema: string,
  { table, deletes, updates, inserts }: EncodedChanges,
): string[] => {
  const fromClause = `from ${escapeIdentifier(schema)}.${toSqlName(table)}`;
  const buildEvidenceSelect = (kind: RowEvidence["kind"], state: string): string =>
    `select ${quoteStorableLiteral(kind)} as kind, ${state} as state`;
  return [
    ...inserts.flatMap(({ row }) =>
      row === null
        ? []
        : [
            buildEvidenceSelect(
              "insert",
              `case when exists (select ${fromClause} where id = ${quoteStorableLiteral(row.id)}) then 'after' else 'before' end`,
            ),
          ],
    ),
    ...updates.map(({ id, version, document }) =>
      buildEvidenceSelect(
        "update",
        `coalesce((select case when xmin::text = ${quoteStorableLiteral(version)} then 'before'
          when doc = ${quoteDocument(document)} then 'after' else 'other' end ${fromClause} where id = ${quoteStorableLiteral(id)}), 'other')`,
      ),
    ),
    ...deletes.map(({ id, version }) =>
      buildEvidenceSelect(
        "delete",
        `coalesce((select case when xmin::text = ${quoteStorableLiteral(version)} then 'before' else 'other' end
          ${fromClause} where id = ${quoteStorableLiteral(id)}), 'after')`,
      ),
    ),
  ];
};
