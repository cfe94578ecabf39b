import { registerDefaultClients } from "../oauth/default-clients.js";
import type { IdGenerator } from "../values/ids.js";
import type { Store } from "../store/store.js";

/** Inserts two workspaces with one owner each, a service token of the first workspace, and two OAuth clients. */
export const insertDefaultRows = (store: Store, createdAt: number, ids: IdGenerator): void => {
  registerDefaultClients(store, createdAt);
  const owners = [
    { email: "ada@example.com", name: "Ada Lovelace", workspace: "Analytical Engines" },
    { email: "grace@example.com", name: "Grace Hopper", workspace: "Compilers" },
  ];
  const [firstWorkspace] = owners.map(({ email, name, workspace }) => {
    const user = store.users.insert({ id: ids.generateId("user"), createdAt, email, name });
    return store.workspaces.insert({
      id: ids.generateId("workspace"),
      createdAt,
      name: workspace,
      memberIds: [user.id],
    });
  });
  if (!firstWorkspace) return;
  store.serviceTokens.insert({
    id: ids.generateId("service_token"),
    createdAt,
    workspaceId: firstWorkspace.id,
    name: "default",
    valueHint: ids.generateLabel(4),
    expiresAt: null,
  });
};
