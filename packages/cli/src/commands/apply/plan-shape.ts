import { managedResources } from "../../contract/generated/managed-resources.js";
import { isObject } from "../../json/json-path.js";
import type { Plan } from "../../manifest/plan.js";

/** Returns the problem of a value, with its path; undefined if there is none. */
type Check = (value: unknown, path: string) => string | undefined;

const text: Check = (value, path) =>
  typeof value === "string" && value !== "" ? undefined : `${path} is not a text`;

const object: Check = (value, path) => (isObject(value) ? undefined : `${path} is not an object`);

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
      : object(value, path);

const firstProblem = (checks: readonly (() => string | undefined)[]): string | undefined => {
  for (const check of checks) {
    const problem = check();
    if (problem !== undefined) return problem;
  }
  return undefined;
};

const address = { resource: oneOf(managedResources.map(({ name }) => name)), path: listOf(text) };

const actions: Readonly<Record<string, Check>> = {
  create: withFields({ fields: object }),
  update: withFields({ id: text, changes: listOf(withFields({ field: text })) }),
  delete: withFields({ id: text }),
};

const step: Check = (value, path) =>
  withFields({ ...address, action: oneOf(Object.keys(actions)) })(value, path) ??
  (isObject(value) ? actions[String(value["action"])]?.(value, path) : undefined);

const plan = withFields({
  baseUrl: text,
  projects: listOf(text),
  warnings: listOf(text),
  adoptions: listOf(withFields({ ...address, adopt: text })),
  steps: listOf(step),
  read: listOf(withFields({ ...address, id: text, fields: object })),
});

/** Returns a value of a file as a plan, or the problem with it. */
export const planIn = (value: unknown): Plan | string => {
  if (!isObject(value)) return "it is not an object";
  const { version } = value;
  if (version === undefined) return "it has no version";
  if (version !== 1) return `it has version ${JSON.stringify(version)}, and this mgmt reads version 1`;
  // The checks cover every field of a plan.
  return plan(value, "") ?? (value as unknown as Plan);
};
