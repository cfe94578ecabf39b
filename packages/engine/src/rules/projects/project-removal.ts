import type { World } from "../../request/world.js";

/** Deletes the rows of a project and its branches. */
export const removeProject = ({ store }: World, projectId: string): void => {
  for (const { id } of store.branches.list({ projectId })) store.branches.delete(id);
  store.projects.delete(projectId);
};
