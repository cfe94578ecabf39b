import type { Store } from "../../src/store/store.js";
import type { ModelDatabases } from "./model-databases.js";

const repeated = (values: readonly string[]): string[] =>
  values.filter((value, index) => values.indexOf(value) !== index);

/** Returns the violated invariants of the rows. */
export const brokenInvariants = (store: Store): string[] => {
  const broken: string[] = [];
  const holds = (condition: boolean, what: string): void => {
    if (!condition) broken.push(what);
  };
  const unique = (values: readonly string[], what: string): void => {
    for (const value of repeated(values)) broken.push(`${what}: ${value}`);
  };

  const projects = store.projects.list({});
  const branches = store.branches.list({});
  const databases = store.databases.list({});
  const apps = store.apps.list({});

  const declared = projects.filter(({ logicalId }) => logicalId !== null);
  unique(
    declared.map(({ workspaceId, logicalId }) => `${workspaceId} ${String(logicalId)}`),
    "two projects with one logicalId",
  );
  unique(
    branches.map(({ projectId, gitName }) => `${projectId} ${gitName}`),
    "two branches with one gitName",
  );
  unique(
    databases.flatMap(({ branchId, logicalId }) =>
      logicalId === null ? [] : [`${String(branchId)} ${logicalId}`],
    ),
    "two databases with one logicalId",
  );
  unique(
    apps.map(({ projectId, branchId, name }) => `${projectId} ${String(branchId)} ${name}`),
    "two apps with one name",
  );
  unique(
    apps.flatMap(({ projectId, branchId, logicalId }) =>
      logicalId === null ? [] : [`${projectId} ${String(branchId)} ${logicalId}`],
    ),
    "two apps with one logicalId",
  );

  for (const { id, workspaceId } of projects) {
    const own = branches.filter(({ projectId }) => projectId === id);
    const defaults = databases.filter((row) => row.projectId === id && row.isDefault);
    holds(store.workspaces.get(workspaceId) !== undefined, `${id} lies in no workspace`);
    holds(own.filter(({ isDefault }) => isDefault).length === 1, `${id} has not one default branch`);
    holds(
      own.filter(({ role }) => role === "production").length === 1,
      `${id} has not one production branch`,
    );
    holds(defaults.length <= 1, `${id} has more than one default database`);
  }
  for (const { id, projectId } of branches) {
    holds(store.projects.get(projectId) !== undefined, `the branch ${id} lies in no project`);
  }
  for (const { id, workspaceId, projectId, branchId, branchGitName } of [...databases, ...apps]) {
    const project = store.projects.get(projectId);
    holds(project !== undefined, `${id} lies in no project`);
    holds(project?.workspaceId === workspaceId, `${id} repeats another workspace than its project's`);
    const branch = branchId === null ? undefined : store.branches.get(branchId);
    holds(branchId === null || branch?.projectId === projectId, `${id} lies on no branch of its project`);
    holds((branch?.gitName ?? null) === branchGitName, `${id} repeats another gitName than its branch's`);
  }
  for (const { id, workspaceId, databaseId } of store.connections.list({})) {
    const database = store.databases.get(databaseId);
    holds(database?.workspaceId === workspaceId, `${id} repeats another workspace than its database's`);
  }
  for (const { id, branchId, defaultConnectionId } of databases) {
    const own = store.connections.list({ databaseId: id });
    holds(branchId !== null, `the database ${id} lies on no branch`);
    holds(
      own.length === 0
        ? defaultConnectionId === null
        : own.some((connection) => connection.id === defaultConnectionId),
      `the default connection of ${id} is not a live one`,
    );
  }
  for (const { id, databaseId } of [...store.connections.list({}), ...store.backups.list({})]) {
    holds(store.databases.get(databaseId) !== undefined, `${id} belongs to no database`);
  }
  for (const { id, appId } of store.deployments.list({})) {
    holds(store.apps.get(appId) !== undefined, `the deployment ${id} belongs to no app`);
  }
  for (const { id, latestDeploymentId, domains } of apps) {
    for (const deploymentId of [latestDeploymentId, ...domains.map((domain) => domain.deploymentId)]) {
      const live = deploymentId === null || store.deployments.get(deploymentId)?.appId === id;
      holds(live, `the app ${id} points at ${String(deploymentId)}`);
    }
  }
  return broken;
};

/**
 * Returns whether exactly the recorded credentials open exactly the recorded databases, once no work is
 * pending.
 */
export const differences = (store: Store, { databases }: ModelDatabases): string[] => {
  const wrong: string[] = [];
  for (const id of databases.keys()) {
    if (store.databases.get(id) === undefined) wrong.push(`${id} is left without a record`);
  }
  for (const { id, status, made } of store.databases.list({})) {
    const roles = databases.get(id)?.roles;
    if (status !== "ready" && status !== "failure") wrong.push(`${id} is still ${status}`);
    if (made !== (roles !== undefined)) wrong.push(`${id} is made: ${String(made)}`);
    if (roles === undefined) continue;
    const recorded = store.connections.list({ databaseId: id });
    const right = roles.size === recorded.length && recorded.every((row) => roles.get(row.id) === row.pass);
    if (!right) wrong.push(`${id} opens with other credentials than are recorded`);
  }
  return wrong;
};
