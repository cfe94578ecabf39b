import { invalidPlanError, planNotJsonError } from "../../errors/manifest-errors.js";
import { isNestedTooDeep, maxLevels } from "../../json/nesting.js";
import { countContainers, toAddressKey, getManagedResource, formatAddress } from "../../manifest/entry.js";
import { isCreatedWithProject, type Plan, type Step } from "../../manifest/plan.js";
import { parsePlanShape } from "./plan-shape.js";

/**
 * Parses a saved plan. Throws `plan:invalid` for anything else, and for one that `mgmt plan` cannot have written: a file that
 * comes with a repository must not change resources that the plan has not read, or fields that a manifest does not have.
 */
export const parsePlan = (json: string, path: string): Plan => {
  let parsedJson: unknown;
  try {
    parsedJson = JSON.parse(json);
  } catch {
    throw planNotJsonError(path);
  }
  if (isNestedTooDeep(parsedJson))
    throw invalidPlanError(path, `it has more than ${String(maxLevels)} levels`);
  const plan = parsePlanShape(parsedJson);
  if (typeof plan === "string") throw invalidPlanError(path, plan);
  const problem = findPlanProblem(plan);
  if (problem !== undefined) throw invalidPlanError(path, problem);
  return plan;
};

/** Returns what is wrong with the first step that `mgmt plan` cannot have written, as a sentence; undefined if there is none. */
const findPlanProblem = ({ steps, read, projects }: Plan): string | undefined => {
  const idByKey = new Map(read.map((entry) => [toAddressKey(entry), entry.id]));
  const existingKeys = new Set(idByKey.keys());
  const adoptedKeys = new Set(read.filter(({ isAdopted }) => isAdopted).map(toAddressKey));
  for (const [index, step] of steps.entries()) {
    const stepLabel = `step ${String(index + 1)} (${step.action} ${formatAddress(step)})`;
    const { container, fields, identity } = getManagedResource(step.resource);
    if (step.path.length !== countContainers(step.resource) + 1) return `${stepLabel} has an incomplete path`;
    if (!projects.includes(step.path[0] ?? ""))
      return `${stepLabel} is in a project that the plan has not read`;
    if (step.action === "create") {
      if (existingKeys.has(toAddressKey(step))) return `${stepLabel} creates what exists`;
      const containerAddress = container && { resource: container, path: step.path.slice(0, -1) };
      if (
        containerAddress &&
        !existingKeys.has(toAddressKey(containerAddress)) &&
        !isCreatedWithProject(containerAddress)
      )
        return `${stepLabel} is in a ${container} that does not exist`;
      existingKeys.add(toAddressKey(step));
    } else if (idByKey.get(toAddressKey(step)) !== step.id)
      return `${stepLabel} has another id than the plan has read`;
    if (step.action === "delete" && container === undefined) return `${stepLabel} deletes a ${step.resource}`;
    const allowedFields = fields
      .filter(({ mutable }) => step.action === "create" || mutable)
      .map(({ input }) => input);
    if (adoptedKeys.has(toAddressKey(step)) && isUpdateKeepingIdentity(step))
      allowedFields.push(identity.input);
    const forbiddenField = listSetFields(step).find((name) => !allowedFields.includes(name));
    if (forbiddenField !== undefined)
      return `${stepLabel} sets ${forbiddenField}, which a manifest cannot do`;
  }
  return undefined;
};

/** Returns whether a step updates a resource without giving it another identity than the one in its own address. */
const isUpdateKeepingIdentity = (step: Step): boolean => {
  if (step.action !== "update") return false;
  const { identity } = getManagedResource(step.resource);
  return step.changes.every(({ field, to }) => field !== identity.input || to === step.path.at(-1));
};

const listSetFields = (step: Step): string[] => {
  if (step.action === "delete") return [];
  return step.action === "create" ? Object.keys(step.fields) : step.changes.map(({ field }) => field);
};
