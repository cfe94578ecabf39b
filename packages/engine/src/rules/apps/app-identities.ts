import { errors } from "../../values/errors.js";
import type { RequestError } from "../../values/request-error.js";
import type { OperationContext } from "../../context/operation-context.js";
import type { AppRow } from "../../store/rows.js";

/** A scope in which names and logicalIds of apps are unique: a branch, or the unassigned apps of a project. */
interface AppScope {
  projectId: string;
  /** Undefined means a branch that does not exist yet, in which no name is taken. */
  branchId: string | null | undefined;
}

const findOtherApp = (
  { store }: OperationContext,
  { projectId, branchId }: AppScope,
  changedApp: AppRow | undefined,
  identity: { name: string } | { logicalId: string },
): AppRow | undefined =>
  branchId === undefined
    ? undefined
    : store.apps.list({ projectId, branchId, ...identity }).find(({ id }) => id !== changedApp?.id);

const alreadyExistsError = (
  { store }: OperationContext,
  { id: existingAppId, name, branchId, logicalId }: AppRow,
  conflictingField: "name" | "logicalId",
): RequestError => {
  const branchGitName = (branchId === null ? undefined : store.branches.get(branchId)?.gitName) ?? "";
  const fields = { existingAppId, name, branchGitName, conflict: conflictingField, logicalId };
  return conflictingField === "name"
    ? errors["app:already_exists"]({ name }, fields)
    : errors["app:already_exists/logical_id"]({ logicalId: String(logicalId) }, fields);
};

/** @throws `app:already_exists` when another app of the scope has the name. */
export const assertAppNameFree = (
  context: OperationContext,
  scope: AppScope,
  name: string,
  changedApp?: AppRow,
): void => {
  const otherApp = findOtherApp(context, scope, changedApp, { name });
  if (otherApp) throw alreadyExistsError(context, otherApp, "name");
};

/** @throws `app:already_exists` when an app of the scope has the name or the `logicalId`. The name is checked first. */
export const assertNewAppIdentityFree = (
  context: OperationContext,
  scope: AppScope,
  name: string,
  logicalId: string | null,
): void => {
  assertAppNameFree(context, scope, name);
  if (logicalId === null) return;
  const otherApp = findOtherApp(context, scope, undefined, { logicalId });
  if (otherApp) throw alreadyExistsError(context, otherApp, "logicalId");
};

/** @throws `app:logical_id_conflict` when another app of the scope has this `logicalId`. */
export const assertAppLogicalIdFree = (
  context: OperationContext,
  scope: AppScope,
  logicalId: string,
  changedApp: AppRow,
): void => {
  if (findOtherApp(context, scope, changedApp, { logicalId })) {
    throw errors["app:logical_id_conflict"]({ logicalId });
  }
};
