import type { ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { canonicalId } from "../request/ids.js";
import { ControlError, notFound } from "./control-error.js";

/** Rows that a new server starts with. Each getter throws a `ControlError` when its row was deleted. */
export class Residents {
  constructor(private readonly store: () => Store) {}

  get workspace(): WorkspaceRow {
    return found(this.store().workspaces.find({}), "first workspace");
  }

  /** The owner of the first workspace. */
  get user(): UserRow {
    return found(this.store().users.get(this.workspace.memberIds[0] ?? ""), "first user");
  }

  /** A service token of the first workspace. */
  get serviceToken(): ServiceTokenRow {
    const { id } = this.workspace;
    return found(this.store().serviceTokens.find({ workspaceId: id }), "service token");
  }

  /** A workspace that credentials of the first workspace cannot reach. */
  get otherWorkspace(): WorkspaceRow {
    return found(this.store().workspaces.page({ where: {}, limit: 2 })[1], "other workspace");
  }

  /** The owner of the other workspace. */
  get otherUser(): UserRow {
    return found(this.store().users.get(this.otherWorkspace.memberIds[0] ?? ""), "other user");
  }

  /** Id of an agent of the first user: the `sub` of its tokens. */
  get agentId(): string {
    return this.workspace.id.replace(/^wksp_/, "agent_");
  }
}

/**
 * Returns a workspace of a user.
 *
 * @param id Default: the first workspace that the user is a member of.
 * @throws ControlError when the workspace does not exist, or the user is not a member.
 */
export const workspaceOf = ({ workspaces }: Store, user: UserRow, id?: string): WorkspaceRow => {
  if (id === undefined) {
    const first = workspaces.find({ memberIds: user.id });
    if (!first) throw new ControlError(409, `${user.email} is not a member of a workspace`);
    return first;
  }
  const workspace = workspaces.get(canonicalId("workspace", id));
  if (!workspace) throw notFound("workspace", id);
  if (!workspace.memberIds.includes(user.id)) {
    throw new ControlError(409, `${user.email} is not a member of the workspace ${workspace.id}`);
  }
  return workspace;
};

const found = <T>(row: T | undefined, name: string): T => {
  if (row === undefined) throw new ControlError(404, `The store has no ${name}`);
  return row;
};
