import type { Call } from "../../request/behavior.js";
import { errors } from "../../request/errors.js";
import { reach } from "../../request/reach.js";
import type { ProjectRow } from "../../store/rows.js";
import { workUnderWay } from "../databases/work-under-way.js";

/** The project that the call adds to or moves. One whose deletion is under way takes nothing more. */
export const reachProject = (call: Call, projectId: string): ProjectRow => {
  const project = reach(call, "project", projectId);
  if (workUnderWay(call.world).isDeletingProject(projectId)) throw errors.notFound("project");
  return project;
};
