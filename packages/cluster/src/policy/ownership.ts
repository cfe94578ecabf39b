import { escapeIdentifier, escapeLiteral } from "pg";
import type { Cluster } from "./cluster.js";

/**
 * Returns the statements that create a role of the installation. The options follow its name. The platform gets the privileges of the
 * role, to give databases to it and to end its sessions.
 */
export const buildCreateRoleStatements = (
  cluster: Pick<Cluster, "buildJoinRoleStatements" | "installation">,
  name: string,
  options: string,
  mark = cluster.installation.mark,
): string[] => [
  `create role ${escapeIdentifier(name)} ${options}`,
  buildMarkRoleStatement(name, mark),
  ...cluster.buildJoinRoleStatements(name),
];

/** Returns the statement that marks a role as one of the installation. */
export const buildMarkRoleStatement = (name: string, mark: string): string =>
  `comment on role ${escapeIdentifier(name)} is ${escapeLiteral(mark)}`;

/** Returns the statement that starts the sessions of a login as the owner role, so that connections share all objects. */
export const buildStartAsOwnerStatement = (user: string, owner: string): string =>
  `alter role ${escapeIdentifier(user)} set role = ${escapeIdentifier(owner)}`;

/** Returns the statement that keeps long or frequent messages of a login out of the log. */
export const buildLogLevelStatement = (
  { ignorePrivilegeErrors }: Pick<Cluster, "ignorePrivilegeErrors">,
  user: string,
): string => ignorePrivilegeErrors(`alter role ${escapeIdentifier(user)} set log_min_messages = fatal`);
