import type { Clock } from "../time/clock.js";
import type { Ids } from "../request/ids.js";
import { registerResidentClients } from "../oauth/resident-clients.js";
import type { ServiceTokenRow, UserRow, WorkspaceRow } from "../store/rows.js";
import type { Store } from "../store/store.js";
import { ControlError } from "../control/control-error.js";

/** Two workspaces with an owner each, a service token of the first, and two OAuth clients. */
export const populate = (store: Store, clock: Clock, ids: Ids): void => {
  registerResidentClients(store, clock);
  const createdAt = clock.now();
  const owners = [
    { email: "ada@example.com", name: "Ada Lovelace", workspace: "Analytical Engines" },
    { email: "grace@example.com", name: "Grace Hopper", workspace: "Compilers" },
  ];
  const [first] = owners.map(({ email, name, workspace }) => {
    const user = store.users.insert({ id: ids.id("user"), createdAt, email, name });
    return store.workspaces.insert({
      id: ids.id("workspace"),
      createdAt,
      name: workspace,
      memberIds: [user.id],
    });
  });
  if (!first) return;
  store.serviceTokens.insert({
    id: ids.id("service_token"),
    createdAt,
    workspaceId: first.id,
    name: "default",
    valueHint: ids.label(4),
    expiresAt: null,
  });
};

/** Who is there from the start. Each throws a `ControlError` once it was deleted. */
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

  /** A workspace that the first one's credentials do not reach. */
  get otherWorkspace(): WorkspaceRow {
    return found(this.store().workspaces.page({ where: {}, limit: 2 })[1], "other workspace");
  }

  /** The owner of the other workspace. */
  get otherUser(): UserRow {
    return found(this.store().users.get(this.otherWorkspace.memberIds[0] ?? ""), "other user");
  }

  /** An agent of the first user: the `sub` of its tokens. */
  get agentId(): string {
    return this.workspace.id.replace(/^wksp_/, "agent_");
  }
}

const found = <T>(row: T | undefined, name: string): T => {
  if (row === undefined) throw new ControlError(404, `The state holds no ${name}`);
  return row;
};
