import { escapeIdentifier, escapeLiteral } from "pg";
import type { Cluster } from "./cluster.js";
import type { Installation } from "./installation.js";

/**
 * The statements of one transaction that make roles. After each change of roles, Postgres looks at all memberships of the platform before
 * the next statement that needs one, so those that create roles come first.
 */
export interface RoleStatements {
  readonly create: readonly string[];
  readonly configure: readonly string[];
}

/** Returns the statements that create a role of the installation. The options follow its name. */
export const createRoleStatements = (
  installation: Pick<Installation, "roleComment">,
  name: string,
  options: string,
  comment = installation.roleComment,
): RoleStatements => ({
  create: [`create role ${escapeIdentifier(name)} ${options}`],
  configure: [buildRoleCommentStatement(name, comment)],
});

/** Returns the statements that make all of these roles. */
export const joinRoleStatements = (...all: readonly RoleStatements[]): string[] => [
  ...all.flatMap(({ create }) => create),
  ...all.flatMap(({ configure }) => configure),
];

/** Returns the statement that gives a role the comment by which the installation recognizes it. */
export const buildRoleCommentStatement = (name: string, comment: string): string =>
  `comment on role ${escapeIdentifier(name)} is ${escapeLiteral(comment)}`;

/** Returns the statement that starts the sessions of a login as the owner role, so that connections share all objects. */
export const buildStartAsOwnerStatement = (user: string, owner: string): string =>
  `alter role ${escapeIdentifier(user)} set role = ${escapeIdentifier(owner)}`;

/** Returns the statement that keeps long or frequent messages of a login out of the log. */
export const buildLogLevelStatement = (
  { ignorePrivilegeErrors }: Pick<Cluster, "ignorePrivilegeErrors">,
  user: string,
): string => ignorePrivilegeErrors(`alter role ${escapeIdentifier(user)} set log_min_messages = fatal`);
