import { groups } from "../../contract/generated/groups.js";
import { namedKindOf } from "../../contract/id-form.js";
import type { CommandDefinition } from "../../contract/command-definition.js";
import { type CompleteArgument, onlyIds, type PartialArgument } from "../../command-line/completion.js";

/**
 * Completes the method and the path of a request. A path is completed up to its next id, with or without `/v1` as it is
 * typed, and an id by those of the resources.
 */
export const completePath: CompleteArgument = async (argument) => {
  const { typed, current } = argument;
  if (typed.length > 1) return [];
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const methods = [...new Set(definitions.map(({ method }) => method))];
  const [first] = typed;
  if (first !== undefined && !methods.some((method) => method === first)) return [];
  const method = first ?? "GET";
  const completions = await Promise.all(
    definitions
      .filter((definition) => definition.method === method)
      .map((definition) => continuations(definition, argument)),
  );
  const paths = [...new Set(completions.flat())].sort();
  return first === undefined && !current.includes("/") ? [...methods, ...paths] : paths;
};

/** Returns what the typed beginning of an operation's path can become. */
const continuations = async (
  { path, arguments: parameters }: CommandDefinition,
  { current, resources }: PartialArgument,
): Promise<string[]> => {
  const template = (current === "" || current.startsWith("/") ? path : path.replace("/v1/", "")).split("/");
  const words = current.split("/");
  const before = words.slice(0, -1);
  if (words.length > template.length || !before.every((word, index) => matches(word, template[index])))
    return [];
  const rest = template.slice(before.length);
  const [next = ""] = rest;
  const start = before.map((word) => `${word}/`).join("");
  if (!isParameter(next)) {
    const end = rest.findIndex(isParameter);
    return [`${start}${(end < 0 ? rest : [...rest.slice(0, end), ""]).join("/")}`];
  }
  const kind = namedKindOf(parameters.find(({ name }) => next === `{${name}}`)?.prefix);
  return kind ? onlyIds(kind, await resources(kind)).map((id) => `${start}${id}`) : [];
};

const isParameter = (segment: string): boolean => segment.startsWith("{");

const matches = (word: string, segment: string | undefined): boolean =>
  segment !== undefined && (isParameter(segment) ? word !== "" : word === segment);
