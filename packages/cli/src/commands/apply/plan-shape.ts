import { managedResources } from "../../contract/generated/managed-resources.js";
import { isObject } from "../../json/json-path.js";
import type { Plan } from "../../manifest/plan.js";

/** Returns the problem of a value, with its path; undefined if there is none. */
type ShapeCheck = (value: unknown, path: string) => string | undefined;

const checkTextField: ShapeCheck = (value, path) =>
  typeof value === "string" && value !== "" ? undefined : `${path} is empty or not a string`;

const checkObjectField: ShapeCheck = (value, path) =>
  isObject(value) ? undefined : `${path} is not an object`;

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
      : checkObjectField(value, path);

const findFirstProblem = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const addressChecks = {
  resource: checkOneOf(managedResources.map(({ name }) => name)),
  path: checkListOf(checkTextField),
};

const checksByAction: Readonly<Record<string, ShapeCheck>> = {
  create: checkFields({ fields: checkObjectField }),
  update: checkFields({ id: checkTextField, changes: checkListOf(checkFields({ field: checkTextField })) }),
  delete: checkFields({ id: checkTextField }),
};

const checkStep: ShapeCheck = (value, path) =>
  checkFields({ ...addressChecks, action: checkOneOf(Object.keys(checksByAction)) })(value, path) ??
  (isObject(value) ? checksByAction[String(value["action"])]?.(value, path) : undefined);

const checkPlan = checkFields({
  baseUrl: checkTextField,
  projects: checkListOf(checkTextField),
  warnings: checkListOf(checkTextField),
  adoptions: checkListOf(checkFields({ ...addressChecks, adopt: checkTextField })),
  steps: checkListOf(checkStep),
  read: checkListOf(checkFields({ ...addressChecks, id: checkTextField, fields: checkObjectField })),
});

/** Returns a value of a file as a plan, or the problem with it. */
export const parsePlanShape = (value: unknown): Plan | string => {
  if (!isObject(value)) return "it is not an object";
  const { version } = value;
  if (version === undefined) return "it has no version";
  if (version !== 1) return `it has version ${JSON.stringify(version)}, and this mgmt reads version 1`;
  // The checks cover every field of a plan.
  return checkPlan(value, "") ?? (value as unknown as Plan);
};
