import { formatFlag } from "../../input/read-input.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";
import { isResourceType, getResourceTypeByPrefix, resourceTypes } from "../../contract/resource-types.js";
import type { Failure } from "../../errors/failure.js";
import { findListHint } from "../../errors/name-errors.js";
import { type FailedCommand, toAttributeName } from "./failed-command.js";

/**
 * Translates an error response of the service into the terms of the command line: names the id that was not found instead of its resource
 * type, and flags instead of fields of the request.
 *
 * @param id the id of the item that failed, if the command line has several.
 */
export const translateFailure = (
  failure: Failure,
  command: FailedCommand,
  id: string | undefined,
): Failure => {
  const { definition } = command;
  if (failure.code === "route:not_found" && !definition) return { ...failure, hint: pathsHint };
  if (!definition || failure.status === undefined) return failure;
  if (failure.status === 404) return translateNotFound(failure, definition, command, id);
  if (failure.code !== "validation:failed" || !failure.issues) return failure;
  return translateInvalidRequest(failure, failure.issues, definition, command);
};

/** Replaces the hint of the service, which suggests another HTTP request. */
const pathsHint = "mgmt operations lists the paths of all operations.";

const translateNotFound = (
  failure: Failure,
  definition: GeneratedCommand,
  { args, options }: FailedCommand,
  id: string | undefined,
): Failure => {
  const resourceType = failure.code.replace(/:not_found$/, "").replaceAll("_", " ");
  if (!isResourceType(resourceType)) return failure;
  const lastIndex = definition.arguments.length - 1;
  const requestedIds = [
    ...definition.arguments.flatMap(({ resource }, index) =>
      resource === resourceType ? [index === lastIndex ? (id ?? args[index]) : args[index]] : [],
    ),
    ...[...definition.query, ...(definition.body?.fields ?? [])].flatMap((field) =>
      getResourceTypeByPrefix(field.prefix) === resourceType ? [options[toAttributeName(field.flag)]] : [],
    ),
  ].filter((value) => typeof value === "string" && value !== "" && value !== "-");
  const [text, ...otherIds] = requestedIds;
  // With several ids of the resource type, only the service knows which one it is.
  if (text === undefined || otherIds.length > 0) return failure;
  const { hint: _, ...failureWithoutHint } = failure;
  const hint = findListHint(resourceType);
  return {
    ...failureWithoutHint,
    message: `No ${resourceTypes[resourceType].noun} has the id${hint === undefined ? "" : " or name"} ${JSON.stringify(text)}`,
    ...(hint !== undefined && { hint }),
  };
};

const translateInvalidRequest = (
  failure: Failure,
  issues: NonNullable<Failure["issues"]>,
  definition: GeneratedCommand,
  { options }: FailedCommand,
): Failure => {
  const isWholeBody = options["body"] !== undefined || options["ndjson"] !== undefined;
  const flagByPath = new Map<string, string>([
    ...definition.query.map((field): [string, string] => [
      `query/${field.path.join("/")}`,
      formatFlag(field),
    ]),
    ...definition.arguments.map(({ name, label }): [string, string] => [`path/${name}`, `<${label}>`]),
    ...(isWholeBody
      ? []
      : (definition.body?.fields ?? []).map((field): [string, string] => [
          `/${field.path.join("/")}`,
          formatFlag(field),
        ])),
  ]);
  const flagByName = new Map([...flagByPath].map(([path, flag]) => [path.split("/").at(-1) ?? path, flag]));
  const translatedIssues = issues.map(({ path, message }) => ({
    path,
    // Only names with an upper-case letter, such as `branchId`, are certainly not words of the sentence.
    message: message.replaceAll(/\b[a-z]+[A-Z]\w*\b/g, (name) => flagByName.get(name) ?? name),
  }));
  const sentences = translatedIssues.map(({ path, message }) => `${flagByPath.get(path) ?? path} ${message}`);
  return {
    ...failure,
    message: `The request is not valid: ${sentences.join("; ")}`,
    issues: translatedIssues,
  };
};
