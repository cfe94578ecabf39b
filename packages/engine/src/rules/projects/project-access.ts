import type { OperationCall } from "../../context/operation-handler.js";
import { errors } from "../../values/errors.js";
import { requireAccess } from "../../request/resource-access.js";
import type { ProjectRow } from "../../store/rows.js";

/**
 * Returns the project that the call adds a resource to, or moves.
 *
 * @throws RequestError 404 `project:not_found`, also when the project is being deleted.
 */
export const requireProject = (call: OperationCall, projectId: string): ProjectRow => {
  const project = requireAccess(call, "project", projectId);
  if (project.deleting) throw errors.notFound("project");
  return project;
};
