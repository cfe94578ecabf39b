import { addArticle } from "@mgmt/internal/text/article";
import { idPatterns } from "../generated/ids.js";
import { bodyValidators, queryValidators } from "#validators";
import type { RequestError, Issue } from "../values/request-error.js";
import { type MissingResourceType, errors } from "../values/errors.js";
import { toCanonicalId, type ResourceType, resourceTypeNames, maxIdLength } from "../values/ids.js";
import { toIssues } from "./issues.js";
import type { OperationEntry, QueryParameter } from "../generated/operations.js";
import { absentBody } from "./request-body.js";
import type { Route } from "./route.js";
import type { UnknownFields } from "../values/settings.js";
import { validateWithoutUnknownFields } from "./unknown-fields.js";

/** The parameters and the body of a request that matches the contract, with defaults applied. */
export interface ValidRequest {
  readonly path: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Record<string, unknown>;
  /**
   * The resource type of a path id that is malformed, for an operation without a 422. Such a resource cannot exist, so the
   * request gets a 404 after the scope was checked.
   */
  readonly missingResourceType: MissingResourceType | undefined;
  /** JSON pointers of body fields that are not in the contract, and were removed. */
  readonly ignoredPointers: readonly string[];
}

/** Fields that have their own error code for rejected values, instead of `validation:failed`. */
const errorFactoriesByCode: Readonly<Record<string, () => RequestError>> = {
  "restore:invalid_source": () =>
    errors["restore:invalid_source"]({ issues: [{ path: "/source/type", message: "must be backup" }] }),
};

/**
 * Returns parameters and body with defaults applied and ids in their canonical form.
 *
 * @throws RequestError 422 `validation:failed` with all issues.
 */
export const validateRequest = (
  route: Route,
  search: string,
  json: unknown,
  unknownFields: UnknownFields,
): ValidRequest => {
  const { operation } = route;
  const issues: Issue[] = [];
  const { path, missingResourceType } = validatePath(route, issues);
  const query = validateQuery(operation, search, issues);
  const { body, ignoredPointers } = validateBody(operation, json, unknownFields, issues);
  if (issues.length > 0) throw errors.validationFailed(issues);
  for (const { name, resourceType } of operation.query) {
    const value = query[name];
    // In the filters of lists, `unassigned` means no branch.
    if (
      resourceType !== null &&
      typeof value === "string" &&
      !(resourceType === "branch" && value === "unassigned")
    ) {
      query[name] = toCanonicalId(resourceType, value);
    }
  }
  for (const field of operation.bodyIds) canonicalizeField(body, field.path, field.resourceType);
  return { path, query, body, missingResourceType, ignoredPointers };
};

const validatePath = (
  { operation, parameters }: Route,
  issues: Issue[],
): Pick<ValidRequest, "path" | "missingResourceType"> => {
  const path: Record<string, string> = {};
  let missingResourceType: MissingResourceType | undefined;
  for (const [name, resourceType] of Object.entries(operation.pathResourceTypes)) {
    const value = parameters[name] ?? null;
    if (value !== null && value.length <= maxIdLength && idPatterns[resourceType].test(value)) {
      path[name] = toCanonicalId(resourceType, value);
    } else if (operation.malformedIdStatus === 422) {
      issues.push({
        path: `path/${name}`,
        message: `must be the id of ${addArticle(resourceTypeNames[resourceType])}`,
      });
    } else {
      // Workspaces know a client only through an integration.
      missingResourceType ??= resourceType === "client" ? "integration" : resourceType;
    }
  }
  return { path, missingResourceType };
};

const validateQuery = (
  operation: OperationEntry,
  search: string,
  issues: Issue[],
): Record<string, unknown> => {
  const query: Record<string, unknown> = {};
  const validator = queryValidators[operation.id];
  if (!validator) return query;
  const parameters = search === "" ? undefined : new URLSearchParams(search);
  for (const parameter of operation.query) {
    const values = parameters?.getAll(parameter.name) ?? [];
    if (values.length > 1) {
      issues.push({ path: `query/${parameter.name}`, message: "must not be repeated" });
    }
    const [value] = values;
    if (value !== undefined) query[parameter.name] = parseQueryValue(parameter, value);
  }
  if (!validator(query)) {
    issues.push(...toIssues(validator.errors ?? [], (pointer) => `query${pointer}`));
  }
  return query;
};

/** Other text stays text, which the validator rejects. So does an integer of more digits than a number can hold. */
const parseQueryValue = ({ type }: QueryParameter, rawValue: string): string | number | boolean => {
  if (type === "integer" && /^-?\d{1,15}$/.test(rawValue)) return Number(rawValue);
  if (type === "boolean" && /^(?:true|false)$/.test(rawValue)) return rawValue === "true";
  return rawValue;
};

const validateBody = (
  operation: OperationEntry,
  json: unknown,
  unknownFields: UnknownFields,
  issues: Issue[],
): Pick<ValidRequest, "body" | "ignoredPointers"> => {
  const emptyBody = { body: {}, ignoredPointers: [] };
  const validator = bodyValidators[operation.id];
  if (!validator) return emptyBody;
  if (json === absentBody && operation.body === "required") {
    issues.push({ path: "", message: "is required: send a JSON object" });
    return emptyBody;
  }
  const body = json === absentBody ? {} : json;
  const { isValid, ignoredPointers } =
    unknownFields === "ignore"
      ? validateWithoutUnknownFields(validator, body, operation)
      : { isValid: validator(body), ignoredPointers: [] };
  if (!isValid) {
    const validationErrors = validator.errors ?? [];
    for (const validationError of validationErrors) {
      const createError = errorFactoriesByCode[operation.fieldCodes[validationError.instancePath] ?? ""];
      if (createError) throw createError();
    }
    issues.push(...toIssues(validationErrors, (pointer) => pointer));
    return emptyBody;
  }
  // The validator has checked that the body is an object: every body of the contract is one.
  return { body: body as Record<string, unknown>, ignoredPointers };
};

const canonicalizeField = (
  fields: Record<string, unknown>,
  [name = "", ...innerNames]: readonly string[],
  resourceType: ResourceType,
): void => {
  const fieldValue = fields[name];
  if (typeof fieldValue === "string") fields[name] = toCanonicalId(resourceType, fieldValue);
  // Objects from JSON.parse have string keys.
  else if (typeof fieldValue === "object" && fieldValue !== null)
    canonicalizeField(fieldValue as Record<string, unknown>, innerNames, resourceType);
};
