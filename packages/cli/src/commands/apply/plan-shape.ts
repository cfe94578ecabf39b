import { managedResources } from "../../contract/generated/managed-resources.js";
import { isObject } from "../../json/json-path.js";
import type { Plan } from "../../manifest/plan.js";

/** Describes what is wrong with a value, including its path; undefined if it is valid. */
type ShapeCheck = (value: unknown, path: string) => string | undefined;

const checkNonEmptyString: ShapeCheck = (value, path) =>
  typeof value === "string" && value !== "" ? undefined : `${path} is empty or not a string`;

const checkObject: ShapeCheck = (value, path) => (isObject(value) ? undefined : `${path} is not an object`);

const checkOneOf =
  (values: readonly string[]): ShapeCheck =>
  (value, path) =>
    values.some((allowed) => allowed === value) ? undefined : `${path} is none of ${values.join(", ")}`;

const checkListOf =
  (check: ShapeCheck): ShapeCheck =>
  (value, path) =>
    Array.isArray(value)
      ? findFirstProblem(
          value.map((element: unknown, index) => () => check(element, `${path}[${String(index)}]`)),
        )
      : `${path} is not a list`;

const checkFields =
  (checks: Readonly<Record<string, ShapeCheck>>): ShapeCheck =>
  (value, path) =>
    isObject(value)
      ? findFirstProblem(
          Object.entries(checks).map(
            ([name, check]) =>
              () =>
                check(value[name], path === "" ? name : `${path}.${name}`),
          ),
        )
      : checkObject(value, path);

const findFirstProblem = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const addressChecks = {
  resource: checkOneOf(managedResources.map(({ name }) => name)),
  path: checkListOf(checkNonEmptyString),
};

const checksByAction: Readonly<Record<string, ShapeCheck>> = {
  create: checkFields({ fields: checkObject }),
  update: checkFields({
    id: checkNonEmptyString,
    changes: checkListOf(checkFields({ field: checkNonEmptyString })),
  }),
  delete: checkFields({ id: checkNonEmptyString }),
};

const checkStep: ShapeCheck = (value, path) =>
  checkFields({ ...addressChecks, action: checkOneOf(Object.keys(checksByAction)) })(value, path) ??
  (isObject(value) ? checksByAction[String(value["action"])]?.(value, path) : undefined);

const checkPlan = checkFields({
  baseUrl: checkNonEmptyString,
  projects: checkListOf(checkNonEmptyString),
  warnings: checkListOf(checkNonEmptyString),
  adoptions: checkListOf(checkFields({ ...addressChecks, adopt: checkNonEmptyString })),
  steps: checkListOf(checkStep),
  read: checkListOf(checkFields({ ...addressChecks, id: checkNonEmptyString, fields: checkObject })),
});

/** Returns the parsed JSON of a plan file as a plan, or a description of what is wrong with it. */
export const parsePlanShape = (value: unknown): Plan | string => {
  if (!isObject(value)) return "it is not an object";
  const { version } = value;
  if (version === undefined) return "it has no version";
  if (version !== 1) return `it has version ${JSON.stringify(version)}, and this mgmt reads version 1`;
  // The checks cover every field of a plan.
  return checkPlan(value, "") ?? (value as unknown as Plan);
};
