import { idPatterns } from "../generated/ids.js";
import { bodyValidators, queryValidators } from "../generated/validators.js";
import type { RequestError, Issue } from "./request-error.js";
import { type MissingKind, errors } from "./errors.js";
import { canonicalId, type Kind, maxIdLength } from "./ids.js";
import { readableIssues } from "./issues.js";
import type { OperationEntry, QueryParameter } from "./operation.js";
import { noBody } from "./read-body.js";
import type { Route } from "./route.js";
import type { UnknownFields } from "./settings.js";
import { validateWithoutUnknownFields } from "./unknown-fields.js";

export interface ValidRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
  /**
   * The kind of a path id that is malformed, for an operation without a 422. Such a resource cannot exist, so the
   * request gets a 404 after the scope was checked.
   */
  readonly missing: MissingKind | undefined;
  /** JSON pointers of body fields that are not in the contract, and were removed. */
  readonly ignored: readonly string[];
}

/** Fields that have their own error code for rejected values, in place of `validation:failed`. */
const fieldErrors: Readonly<Record<string, (message: string) => RequestError>> = {
  "restore:invalid_source": (message) => errors.invalidRestoreSource(`The type of the source ${message}`),
};

/**
 * Returns parameters and body with defaults applied and ids in their canonical form.
 *
 * @throws RequestError 422 `validation:failed` with all issues.
 */
export const validate = (
  route: Route,
  search: string,
  json: unknown,
  unknownFields: UnknownFields,
): ValidRequest => {
  const { operation } = route;
  const issues: Issue[] = [];
  const { path, missing } = readPath(route, issues);
  const query = readQuery(operation, search, issues);
  const { body, ignored } = readFields(operation, json, unknownFields, issues);
  if (issues.length > 0) throw errors.validationFailed(issues);
  for (const { name, kind } of operation.query) {
    const value = query[name];
    // In the filters of lists, `unassigned` means no branch.
    if (kind !== null && typeof value === "string" && !(kind === "branch" && value === "unassigned")) {
      query[name] = canonicalId(kind, value);
    }
  }
  for (const field of operation.bodyIds) canonicalizeField(body, field.path, field.kind);
  return { path, query, body, missing, ignored };
};

const article = (kind: string): string => `${/^[aeiou]/.test(kind) ? "an" : "a"} ${kind.replace("_", " ")}`;

const readPath = (
  { operation, parameters }: Route,
  issues: Issue[],
): Pick<ValidRequest, "path" | "missing"> => {
  const path: Record<string, string> = {};
  let missing: MissingKind | undefined;
  for (const name of Object.keys(parameters)) {
    const value = parameters[name] ?? null;
    const kind = operation.pathKinds[name];
    if (kind === undefined) throw new Error(`${operation.id} does not say what ${name} names`);
    if (value !== null && value.length <= maxIdLength && idPatterns[kind]?.test(value)) {
      path[name] = canonicalId(kind, value);
    } else if (operation.malformedIdStatus === 422) {
      issues.push({ path: `path/${name}`, message: `must be the id of ${article(kind)}` });
    } else {
      // Workspaces know a client or a user only through an integration.
      missing ??= kind === "client" || kind === "user" ? "integration" : kind;
    }
  }
  return { path, missing };
};

const readQuery = (operation: OperationEntry, search: string, issues: Issue[]): Record<string, unknown> => {
  const query: Record<string, unknown> = {};
  const validator = queryValidators[operation.id];
  if (!validator) return query;
  if (search !== "") {
    const parameters = new URLSearchParams(search);
    for (const parameter of operation.query) {
      const values = parameters.getAll(parameter.name);
      if (values.length > 1) {
        issues.push({ path: `query/${parameter.name}`, message: "must not be repeated" });
      }
      const [value] = values;
      if (value !== undefined) query[parameter.name] = fromText(parameter, value);
    }
  }
  if (!validator(query)) {
    issues.push(...readableIssues(validator.errors ?? [], (pointer) => `query${pointer}`));
  }
  return query;
};

const fromText = ({ type }: QueryParameter, text: string): unknown => {
  if (type === "integer" || type === "number")
    return /^-?\d{1,15}(\.\d{1,15})?$/.test(text) ? Number(text) : text;
  if (type === "boolean") return text === "true" ? true : text === "false" ? false : text;
  return text;
};

const readFields = (
  operation: OperationEntry,
  json: unknown,
  unknownFields: UnknownFields,
  issues: Issue[],
): Pick<ValidRequest, "body" | "ignored"> => {
  const none = { body: {}, ignored: [] };
  const validator = bodyValidators[operation.id];
  if (!validator) return none;
  if (json === noBody && operation.body === "required") {
    issues.push({ path: "", message: "is required: send a JSON object" });
    return none;
  }
  const body = json === noBody ? {} : json;
  const { isValid, ignored } =
    unknownFields === "ignore"
      ? validateWithoutUnknownFields(validator, body, operation)
      : { isValid: validator(body), ignored: [] };
  if (!isValid) {
    const findings = validator.errors ?? [];
    for (const finding of findings) {
      const build = fieldErrors[operation.fieldCodes[finding.instancePath] ?? ""];
      const [issue] = readableIssues([finding], (pointer) => pointer);
      if (build && issue) throw build(issue.message);
    }
    issues.push(...readableIssues(findings, (pointer) => pointer));
    return none;
  }
  // The validator has checked that the body is an object: every body of the contract is one.
  return { body: body as Record<string, unknown>, ignored };
};

const canonicalizeField = (value: unknown, path: readonly string[], kind: Kind): void => {
  const [name, ...rest] = path;
  if (typeof value !== "object" || value === null || name === undefined) return;
  // Objects from JSON.parse have string keys.
  const fields = value as Record<string, unknown>;
  if (!Object.hasOwn(fields, name)) return;
  const inner = fields[name];
  if (rest.length > 0) canonicalizeField(inner, rest, kind);
  else if (typeof inner === "string") fields[name] = canonicalId(kind, inner);
};
