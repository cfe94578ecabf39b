import { groups } from "../../contract/generated/groups.js";
import { getNameableTypeByPrefix } from "../../contract/nameable-types.js";
import type { GeneratedCommand } from "../../contract/generated-command.js";
import {
  type CompleteArgument,
  filterIds,
  type ArgumentToComplete,
} from "../../command-line/argument-completion.js";

/**
 * Completes the method and the path of a request. A path is completed up to its next id, with `/v1` if the user typed a
 * slash first, and an id is completed from the ids of the resources.
 */
export const completePath: CompleteArgument = async (argument) => {
  const { earlierArguments, currentWord } = argument;
  if (earlierArguments.length > 1) return [];
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const methods = [...new Set(definitions.map(({ method }) => method))];
  const [methodWord] = earlierArguments;
  if (methodWord !== undefined && !methods.some((method) => method === methodWord)) return [];
  const method = methodWord ?? "GET";
  const completions = await Promise.all(
    definitions
      .filter((definition) => definition.method === method)
      .map((definition) => completeTemplate(definition, argument)),
  );
  const paths = [...new Set(completions.flat())].sort();
  return methodWord === undefined && !currentWord.includes("/") ? [...methods, ...paths] : paths;
};

/** Returns the completions of a partly typed path that match the path of one operation. */
const completeTemplate = async (
  { path, arguments: parameters }: GeneratedCommand,
  { currentWord, listResources }: ArgumentToComplete,
): Promise<string[]> => {
  const templateSegments = (
    currentWord === "" || currentWord.startsWith("/") ? path : path.replace("/v1/", "")
  ).split("/");
  const currentSegments = currentWord.split("/");
  const completeSegments = currentSegments.slice(0, -1);
  if (
    currentSegments.length > templateSegments.length ||
    !completeSegments.every((segment, index) => matchesSegment(segment, templateSegments[index]))
  )
    return [];
  const remainingSegments = templateSegments.slice(completeSegments.length);
  const [nextSegment = ""] = remainingSegments;
  const completedPrefix = completeSegments.map((segment) => `${segment}/`).join("");
  if (!isParameter(nextSegment)) {
    const parameterIndex = remainingSegments.findIndex(isParameter);
    return [
      `${completedPrefix}${(parameterIndex < 0 ? remainingSegments : [...remainingSegments.slice(0, parameterIndex), ""]).join("/")}`,
    ];
  }
  const resourceType = getNameableTypeByPrefix(
    parameters.find(({ name }) => nextSegment === `{${name}}`)?.prefix,
  );
  return resourceType
    ? filterIds(resourceType, await listResources(resourceType)).map((id) => `${completedPrefix}${id}`)
    : [];
};

const isParameter = (segment: string): boolean => segment.startsWith("{");

const matchesSegment = (currentSegment: string, segment: string | undefined): boolean =>
  segment !== undefined && (isParameter(segment) ? currentSegment !== "" : currentSegment === segment);
