import { RequestError } from "../../values/request-error.js";

/** Builds the errors of branches. */
export const branchErrors = {
  alreadyExists: (gitName: string) =>
    new RequestError(
      409,
      "branch:already_exists",
      `The project already has a branch ${gitName}`,
      "Use the existing branch, or choose another gitName",
    ),
  defaultProtected: () =>
    new RequestError(
      422,
      "branch:default_protected",
      "The default or production branch of a project cannot be deleted",
      "Make another branch the default first. The production branch is deleted with its project",
      { issues: [{ path: "path/branchId", message: "names the default or production branch" }] },
    ),
  hasResources: (resources: string) =>
    new RequestError(
      409,
      "branch:has_resources",
      `The branch still has ${resources}`,
      "Delete or move its databases, apps and services first",
    ),
} as const;
