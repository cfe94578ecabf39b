import { managedResources } from "../../contract/generated/managed-resources.js";
import { isObject } from "../../json/json-path.js";
import type { Plan } from "../../manifest/plan.js";

/** Returns the problem of a value, with its path; undefined if there is none. */
type Check = (value: unknown, path: string) => string | undefined;

const checkText: Check = (value, path) =>
  typeof value === "string" && value !== "" ? undefined : `${path} is not a text`;

const checkObject: Check = (value, path) => (isObject(value) ? undefined : `${path} is not an object`);

const oneOf =
  (values: readonly string[]): Check =>
  (value, path) =>
    values.some((allowed) => allowed === value) ? undefined : `${path} is none of ${values.join(", ")}`;

const listOf =
  (check: Check): Check =>
  (value, path) =>
    Array.isArray(value)
      ? firstProblem(value.map((item: unknown, index) => () => check(item, `${path}[${String(index)}]`)))
      : `${path} is not a list`;

const withFields =
  (checks: Readonly<Record<string, Check>>): Check =>
  (value, path) =>
    isObject(value)
      ? firstProblem(
          Object.entries(checks).map(
            ([name, check]) =>
              () =>
                check(value[name], path === "" ? name : `${path}.${name}`),
          ),
        )
      : checkObject(value, path);

const firstProblem = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const addressChecks = { resource: oneOf(managedResources.map(({ name }) => name)), path: listOf(checkText) };

const checkByAction: Readonly<Record<string, Check>> = {
  create: withFields({ fields: checkObject }),
  update: withFields({ id: checkText, changes: listOf(withFields({ field: checkText })) }),
  delete: withFields({ id: checkText }),
};

const checkStep: Check = (value, path) =>
  withFields({ ...addressChecks, action: oneOf(Object.keys(checkByAction)) })(value, path) ??
  (isObject(value) ? checkByAction[String(value["action"])]?.(value, path) : undefined);

const checkPlan = withFields({
  baseUrl: checkText,
  projects: listOf(checkText),
  warnings: listOf(checkText),
  adoptions: listOf(withFields({ ...addressChecks, adopt: checkText })),
  steps: listOf(checkStep),
  read: listOf(withFields({ ...addressChecks, id: checkText, fields: checkObject })),
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
