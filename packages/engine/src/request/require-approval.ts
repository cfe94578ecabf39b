import type { ApprovalRow } from "../store/rows.js";
import { needsApproval, requireApproval } from "./approvals.js";
import type { OperationCall } from "../context/operation-handler.js";
import type { OperationEntry } from "../generated/operations.js";
import type { AuthorizedRequest } from "./authorize.js";
import { type WorkspaceResources, readField, findResourceProjectId } from "./resource-access.js";
import type { ValidRequest } from "./validate.js";
import type { OperationContext } from "../context/operation-context.js";

/** An approval that a request uses. */
export interface ApprovalUse {
  consume(context: OperationContext): void;
  /** Makes the approval usable again after the request failed. */
  release(context: OperationContext): void;
}

/**
 * Requires an approval for an agent's request if the operation needs one. Runs after the check of the request, so that
 * sponsors are not asked to approve requests that would fail.
 *
 * @returns the approval that the request uses, if any.
 * @throws RequestError 403 `approval_required` or `approval:denied`.
 */
export const requireApprovalIfNeeded = (
  { context, principal, bearers }: OperationCall,
  { operation, validRequest }: AuthorizedRequest,
): ApprovalUse | undefined => {
  if (principal.kind !== "agent") return undefined;
  const isChanged = (field: string): boolean => changesField(context, operation, validRequest, field);
  if (!needsApproval(operation, context.settings.approvals, isChanged)) return undefined;
  const body = { ...validRequest.body };
  for (const field of operation.secretFields) body[field] = bearers[field]?.workspaceId ?? null;
  const approval = requireApproval(context, {
    operation,
    agent: principal,
    projectId: findProjectId(context, operation, validRequest),
    path: validRequest.path,
    query: validRequest.query,
    body,
    details: collectDetails(operation, body, isChanged),
  });
  if (!approval) return undefined;
  const createStatusSetter =
    (status: ApprovalRow["status"]) =>
    ({ store }: OperationContext): void => {
      store.approvals.update(approval.id, { status });
    };
  return { consume: createStatusSetter("consumed"), release: createStatusSetter("approved") };
};

/** Returns the fields of the body that the sponsor must know. */
const collectDetails = (
  { approvalFields, secretFields, bodyIds }: OperationEntry,
  body: Readonly<Record<string, unknown>>,
  isChanged: (field: string) => boolean,
): Record<string, string | null> => {
  const paths = [
    ...[...approvalFields.filter(isChanged), ...secretFields].map((field) => [field]),
    ...bodyIds.map(({ path }) => path),
  ];
  return Object.fromEntries(
    paths.flatMap((path) => {
      const value = path.reduce<unknown>(
        (part, name) => (typeof part === "object" && part !== null ? Reflect.get(part, name) : undefined),
        body,
      );
      return typeof value === "string" || value === null ? [[path.join("."), value]] : [];
    }),
  );
};

/** Returns whether a request changes a field of the resource in its path. */
const changesField = (
  { store }: OperationContext,
  operation: OperationEntry,
  { path, body }: ValidRequest,
  field: string,
): boolean =>
  body[field] !== undefined &&
  Object.entries(operation.pathResourceTypes).some(
    ([name, resourceType]) =>
      isWorkspaceResourceType(resourceType) &&
      readField(store, resourceType, path[name] ?? "", field) !== body[field],
  );

/** Returns the project of the resource in the path, or else the project that the body names; null when there is neither. */
const findProjectId = (
  { store }: OperationContext,
  operation: OperationEntry,
  validRequest: ValidRequest,
): string | null => {
  for (const [name, resourceType] of Object.entries(operation.pathResourceTypes)) {
    const id = validRequest.path[name];
    if (id === undefined || !isWorkspaceResourceType(resourceType)) continue;
    const projectId = findResourceProjectId(store, resourceType, id);
    if (projectId !== undefined) return projectId;
  }
  const namedProjectId = validRequest.body["projectId"];
  return typeof namedProjectId === "string" ? namedProjectId : null;
};

const isWorkspaceResourceType = (resourceType: string): resourceType is keyof WorkspaceResources =>
  resourceType !== "client" && resourceType !== "user" && resourceType !== "approval";
