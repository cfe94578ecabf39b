import { invalidPlan, planIsNotJson } from "../../errors/manifest-errors.js";
import { isNestedTooDeep, maxLevels } from "../../json/nesting.js";
import { depthOf, keyOf, managedResource, nameOf } from "../../manifest/entry.js";
import { comesWithProject, type Plan, type Step } from "../../manifest/plan.js";
import { planIn } from "./plan-shape.js";

/**
 * Parses a saved plan. Throws `plan:invalid` for anything else, and for one that `mgmt plan` cannot have written: a file that
 * comes with a repository must not change what the plan has not read, or fields that a manifest does not have.
 */
export const readPlan = (text: string, file: string): Plan => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw planIsNotJson(file);
  }
  if (isNestedTooDeep(json)) throw invalidPlan(file, `it has more than ${String(maxLevels)} levels`);
  const plan = planIn(json);
  if (typeof plan === "string") throw invalidPlan(file, plan);
  const problem = problemOf(plan);
  if (problem !== undefined) throw invalidPlan(file, problem);
  return plan;
};

/** Returns what a step does that no plan does. */
const problemOf = ({ steps, read, projects }: Plan): string | undefined => {
  const ids = new Map(read.map((entry) => [keyOf(entry), entry.id]));
  const known = new Set(ids.keys());
  const adopted = new Set(read.filter(({ isAdopted }) => isAdopted).map(keyOf));
  for (const [index, step] of steps.entries()) {
    const what = `step ${String(index + 1)} (${step.action} ${nameOf(step)})`;
    const { container, fields, identity } = managedResource(step.resource);
    if (step.path.length !== depthOf(step.resource) + 1) return `${what} has an incomplete path`;
    if (!projects.includes(step.path[0] ?? "")) return `${what} is in a project that the plan has not read`;
    if (step.action === "create") {
      if (known.has(keyOf(step))) return `${what} creates what exists`;
      const parent = container && { resource: container, path: step.path.slice(0, -1) };
      if (parent && !known.has(keyOf(parent)) && !comesWithProject(parent))
        return `${what} is in a ${container} that does not exist`;
      known.add(keyOf(step));
    } else if (ids.get(keyOf(step)) !== step.id) return `${what} has another id than the plan has read`;
    if (step.action === "delete" && container === undefined) return `${what} deletes a ${step.resource}`;
    const inputs = fields
      .filter(({ mutable }) => step.action === "create" || mutable)
      .map(({ input }) => input);
    if (adopted.has(keyOf(step)) && namesItself(step)) inputs.push(identity.input);
    const unknown = fieldsOf(step).find((name) => !inputs.includes(name));
    if (unknown !== undefined) return `${what} sets ${unknown}, which a manifest cannot do`;
  }
  return undefined;
};

/** Whether a step gives a resource no other identity than the one in its own address. */
const namesItself = (step: Step): boolean => {
  if (step.action !== "update") return false;
  const { identity } = managedResource(step.resource);
  return step.changes.every(({ field, to }) => field !== identity.input || to === step.path.at(-1));
};

const fieldsOf = (step: Step): string[] => {
  if (step.action === "delete") return [];
  return step.action === "create" ? Object.keys(step.fields) : step.changes.map(({ field }) => field);
};
