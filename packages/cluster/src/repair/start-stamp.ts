import { type AdminConnection, quoteIdentifier, quoteLiteral } from "../connection/admin-connection.js";
import { clusterErrors } from "../policy/cluster-error.js";
import type { Installation } from "../policy/installation.js";

/** The record of an installation's last start, in the comment of its role. */
interface Stamp {
  /** The database and the schema of the records. */
  readonly location: string;
  readonly starts: number;
}

interface StampRow {
  /** Where these records are. */
  location: string;
  /** How many starts these records have seen. */
  starts: string;
  /** The comment of the role of the installation; null when the role does not exist. */
  comment: string | null;
}

const buildStampPrefix = (roleComment: string): string => `${roleComment} records `;

/**
 * Parses a comment. Returns undefined before the first start.
 *
 * @throws ClusterError `cluster:stamp_unknown` when it has another format.
 */
const parseStamp = (comment: string, { roleComment, platformRole }: Installation): Stamp | undefined => {
  if (comment === roleComment) return undefined;
  const prefix = buildStampPrefix(roleComment);
  const [, location, starts] =
    (comment.startsWith(prefix) && /^(.*) start (\d+)$/s.exec(comment.slice(prefix.length))) || [];
  if (location === undefined) throw clusterErrors.stampUnknown(platformRole, comment);
  return { location, starts: Number(starts) };
};

/**
 * Rejects records that do not fit the cluster: records of another cluster, a copy, and records that were restored to an earlier start. Each
 * start is counted in the records and in the cluster, which a restore of the records does not change.
 *
 * @param schema the schema of the records, in the database of the platform's sessions.
 * @param acceptRecords uses records that were moved, or restored to an earlier start.
 * @throws ClusterError `cluster:records_outdated`, `cluster:stamp_unknown`.
 */
export const checkStamp = async (
  admin: AdminConnection,
  schema: string,
  acceptRecords: boolean,
): Promise<void> => {
  const { installation } = admin.cluster;
  const { roleComment, platformRole } = installation;
  const [row] = await admin.query<StampRow>(
    `select current_database() || '.' || $1 as location, starts, (
        select coalesce(shobj_description(oid, 'pg_authid'), '') from pg_roles where rolname = $2) as comment
      from ${quoteIdentifier(schema)}.installation`,
    [schema, platformRole],
  );
  if (row === undefined) throw clusterErrors.recordsIncomplete(schema);
  const { location, comment } = row;
  const starts = Number(row.starts);
  if (comment === null) {
    if (starts > 0) throw clusterErrors.recordsOfAnotherCluster(location, platformRole);
    return;
  }
  const stamp = parseStamp(comment, installation);
  if (acceptRecords || stamp === undefined || (stamp.location === location && stamp.starts <= starts)) return;
  // For an operator who knows that these records are the right ones.
  const acceptStatement = buildStampStatement(
    platformRole,
    `${buildStampPrefix(roleComment)}${location} start ${String(starts)}`,
  );
  throw stamp.location === location
    ? clusterErrors.recordsOutdated(location, { starts, startsOfCluster: stamp.starts, acceptStatement })
    : clusterErrors.recordsMoved(location, { previousLocation: stamp.location, acceptStatement });
};

/** Counts a start in the records and in the cluster, in one transaction. */
export const stampStart = async (admin: AdminConnection, schema: string): Promise<void> => {
  const { roleComment, platformRole } = admin.cluster.installation;
  const prefix = quoteLiteral(buildStampPrefix(roleComment));
  await admin.runScript([
    // A start that is not counted does no harm.
    "set local synchronous_commit = off",
    `do ${quoteLiteral(`declare counted bigint; begin
      update ${quoteIdentifier(schema)}.installation set starts = starts + 1 returning starts into counted;
      execute format('comment on role %I is %L', ${quoteLiteral(platformRole)},
        ${prefix} || current_database() || ${quoteLiteral(`.${schema} start `)} || counted);
    end`)}`,
  ]);
};

const buildStampStatement = (role: string, comment: string): string =>
  `COMMENT ON ROLE ${quoteIdentifier(role)} IS ${quoteLiteral(comment)}`;
