import type { ApprovalRow } from "../store/rows.js";
import { approve, needsApproval } from "./approvals.js";
import type { OperationEntry } from "./operation.js";
import type { Principal } from "./principal.js";
import { type Reachable, projectIdOf } from "./reach.js";
import type { ValidRequest } from "./validate.js";
import type { ServerWorld } from "./world.js";

/** The use of an approval, which stands or falls with the effect of its request. */
export interface Consumption {
  commit(): void;
  undo(): void;
}

/**
 * The step between check and act: throws unless an agent's gated request has its sponsor's word. Gives the approval that
 * the request uses up.
 */
export const gate = (
  world: ServerWorld,
  operation: OperationEntry,
  principal: Principal,
  valid: ValidRequest,
): Consumption | undefined => {
  const { store, settings, tokens } = world;
  if (principal.kind !== "agent" || !needsApproval(operation, settings.approvals)) return undefined;
  const body = { ...valid.body };
  for (const field of operation.secretFields) {
    body[field] = tokens.verified(String(body[field]))?.workspaceId ?? null;
  }
  const request = {
    operation,
    agent: principal,
    projectId: projectOf(world, operation, valid),
    path: valid.path,
    query: valid.query,
    body,
  };
  const row = approve(request, world, settings.approvals, (id) => `${settings.authUrl}/approvals/${id}`);
  if (!row) return undefined;
  const setStatus = (status: ApprovalRow["status"]): void => {
    store.approvals.update(row.id, { status });
  };
  return { commit: () => setStatus("consumed"), undo: () => setStatus("approved") };
};

/** The project that the path's resource lies in, or that the body names; null when neither does. */
const projectOf = (world: ServerWorld, operation: OperationEntry, valid: ValidRequest): string | null => {
  for (const [name, kind] of Object.entries(operation.pathKinds)) {
    const id = valid.path[name];
    if (id === undefined || !isReachable(kind)) continue;
    const projectId = projectIdOf(world.store, kind, id);
    if (projectId !== undefined) return projectId;
  }
  const named = valid.body["projectId"];
  return typeof named === "string" ? named : null;
};

const isReachable = (kind: string): kind is keyof Reachable =>
  kind !== "client" && kind !== "user" && kind !== "approval";
