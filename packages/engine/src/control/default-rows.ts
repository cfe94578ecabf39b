import type { ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { toCanonicalId } from "../values/ids.js";
import * as controlErrors from "./control-errors.js";

/**
 * The rows of a workspace, its owner, and a service token, and of another workspace. Each getter throws a `ControlError` when its row
 * was deleted.
 */
export class DefaultRows {
  /** @param homeWorkspaceId id of the workspace. Default: the first one. */
  constructor(
    private readonly getStore: () => Store,
    private readonly homeWorkspaceId?: string,
  ) {}

  /** The workspace that credentials belong to by default. */
  get workspace(): WorkspaceRow {
    const { workspaces } = this.getStore();
    return this.homeWorkspaceId === undefined
      ? requireRow(workspaces.find({}), "first workspace")
      : requireRow(workspaces.get(this.homeWorkspaceId), `workspace ${this.homeWorkspaceId}`);
  }

  /** The owner of the workspace. */
  get user(): UserRow {
    return requireRow(this.getStore().users.get(this.workspace.memberIds[0] ?? ""), "first user");
  }

  /** A service token of the workspace. */
  get serviceToken(): ServiceTokenRow {
    const { id } = this.workspace;
    return requireRow(this.getStore().serviceTokens.find({ workspaceId: id }), "service token");
  }

  /** A workspace that credentials of the workspace cannot reach. */
  get otherWorkspace(): WorkspaceRow {
    const firstTwoWorkspaces = this.getStore().workspaces.listPage({ where: {}, limit: 2 });
    const { id } = this.workspace;
    return requireRow(
      firstTwoWorkspaces.find((row) => row.id !== id),
      "other workspace",
    );
  }

  /** The owner of the other workspace. */
  get otherUser(): UserRow {
    return requireRow(this.getStore().users.get(this.otherWorkspace.memberIds[0] ?? ""), "other user");
  }

  /** Id of an agent of the owner: the `sub` of its tokens. */
  get agentId(): string {
    return this.workspace.id.replace(/^wksp_/, "agent_");
  }
}

/**
 * Returns a workspace of a user.
 *
 * @param id default: the first workspace that the user is a member of.
 * @throws ControlError when the workspace does not exist, or the user is not a member.
 */
export const requireUserWorkspace = ({ workspaces }: Store, user: UserRow, id?: string): WorkspaceRow => {
  if (id === undefined) {
    const firstWorkspace = workspaces.find({ memberIds: user.id });
    if (!firstWorkspace) throw controlErrors.notAMember(user.email);
    return firstWorkspace;
  }
  const workspace = workspaces.get(toCanonicalId("workspace", id));
  if (!workspace) throw controlErrors.notFound("workspace", id);
  if (!workspace.memberIds.includes(user.id)) {
    throw controlErrors.notAMember(user.email, workspace.id);
  }
  return workspace;
};

const requireRow = <T>(row: T | undefined, description: string): T => {
  if (row === undefined) throw controlErrors.defaultResourceDeleted(description);
  return row;
};
