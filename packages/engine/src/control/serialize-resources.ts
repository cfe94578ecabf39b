import type { SerializationContext } from "../context/row-json-cache.js";
import type { Approval, Connection, Database, MeUser } from "../generated/schemas.js";
import { serializeApproval } from "../rules/agent-approvals/agent-approvals.js";
import { serializeConnection } from "../rules/connections/serialize-connection.js";
import { serializeDatabase } from "../rules/databases/serialize-database.js";
import { applyExpiry } from "../request/approval-expiry.js";
import { describeEffect } from "../request/approval-effect.js";
import type { ApprovalRow, ConnectionRow, DatabaseRow, UserRow } from "../store/rows.js";
import { formatTimestamp } from "../values/clock.js";

/** An approval, with the request of the agent that waits for it. */
export interface RequestedApproval extends Approval {
  /** When the agent sent the request. */
  createdAt: string;
  /** Method and path of the request. */
  request: string;
  operationId: string;
  /** Id of the agent: the `sub` of its tokens. */
  agentId: string;
  /** Id of the user who decides. */
  sponsorId: string;
  workspaceId: string;
  /** The project that the request acts on; null if it acts on the workspace. */
  projectId: string | null;
  /** What the request does, in sentences: which resource it changes, by its name, and what depends on that now. */
  effect: string;
}

/** Builds an approval with the status that it has at this time. */
export const serializeRequestedApproval = (
  context: SerializationContext,
  row: ApprovalRow,
  now: number,
): RequestedApproval => ({
  ...serializeApproval(applyExpiry(row, now)),
  createdAt: formatTimestamp(row.createdAt),
  request: row.request,
  operationId: row.operationId,
  agentId: row.agentId,
  sponsorId: row.sponsorId,
  workspaceId: row.workspaceId,
  projectId: row.projectId,
  effect: describeEffect(context, row),
});

/** Builds the `MeUser` of a user. */
export const serializeUser = ({ id, email, name }: UserRow): MeUser => ({ id, email, name });

const omitDirectConnection = ({ directConnection: _, ...connection }: Connection): Connection => connection;

/** Builds a `Connection` without the optional field that has the password. */
export const serializeConnectionWithoutPassword = (
  context: SerializationContext,
  row: ConnectionRow,
): Connection => omitDirectConnection(serializeConnection(context, row));

/** Builds a `Database` whose connections have no passwords. */
export const serializeDatabaseWithoutPasswords = (
  context: SerializationContext,
  row: DatabaseRow,
): Database => {
  const database = serializeDatabase(context, row);
  return { ...database, connections: database.connections.map(omitDirectConnection) };
};
