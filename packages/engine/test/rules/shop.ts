import { Api } from "./api.js";

type Collection = "apps" | "services";

/** Starts a server with a project, and returns its ids. */
export const startShop = async () => {
  const api = await Api.open();
  const { project, database } = await api.project({ name: "shop" });
  return { api, projectId: project.id, mainId: database.branchId ?? "" };
};

/** Returns calls to the apps or services of the project. `current` is called for each, because every test has its own server. */
export const appCalls = (collection: Collection, current: () => { api: Api; projectId: string }) => {
  const idName = collection === "apps" ? "appId" : "serviceId";
  const at = (id: string) => ({ path: { [idName]: id } });
  const newApp = (body: Record<string, unknown>) => ({
    body: { displayName: "web", projectId: current().projectId, ...body },
  });
  return {
    idName,
    at,
    create: async (body: Record<string, unknown> = {}) =>
      (await current().api.ok(`${collection}.create`, newApp(body))).data,
    createRejected: (body: Record<string, unknown> = {}) =>
      current().api.rejectedWith(`${collection}.create`, newApp(body)),
    update: async (id: string, body: Record<string, unknown>) =>
      (await current().api.ok(`${collection}.update`, { ...at(id), body })).data,
    updateRejected: (id: string, body: unknown) =>
      current().api.rejectedWith(`${collection}.update`, { ...at(id), body }),
    list: async (query: Record<string, string> = {}) =>
      (await current().api.ok(`${collection}.list`, { query })).data.map(({ id }) => id),
  };
};
