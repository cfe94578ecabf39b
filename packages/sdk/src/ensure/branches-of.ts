import type { Call } from "../request/call.js";

/** Reads the branches of a project, for resources that lie on one. */
export const branchesOf = (projectId: string): Call & { query?: undefined } => ({
  method: "GET",
  path: "/v1/projects/{projectId}/branches",
  pathParams: { projectId },
});
