import type { Call } from "../engine/behaviour.js";
import { errors } from "../engine/errors.js";
import { reach } from "../engine/reach.js";
import type { ProjectRow } from "../store/rows.js";
import { workUnderWay } from "./work-under-way.js";

/** The project that the call adds to or moves. One whose deletion is under way takes nothing more. */
export const reachProject = (call: Call, projectId: string): ProjectRow => {
  const project = reach(call, "project", projectId);
  if (workUnderWay(call.world).isDeletingProject(projectId)) throw errors.notFound("project");
  return project;
};
