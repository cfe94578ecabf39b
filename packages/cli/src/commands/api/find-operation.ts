import { groups } from "../../contract/generated/groups.js";
import type { OperationCommand } from "../../contract/row.js";

/** The operation of a request, and its path parameters. */
export interface FoundOperation {
  readonly row: OperationCommand;
  readonly target: Readonly<Record<string, string>>;
}

/** Finds the operation of a method and an encoded path. Returns undefined if this version does not know it. */
export const findOperation = async (method: string, path: string): Promise<FoundOperation | undefined> => {
  const rows = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const found = rows.flatMap((row) => {
    const target = row.method === method ? parametersOf(row.path, path) : undefined;
    return target ? [{ row, target }] : [];
  });
  // `/v1/regions/postgres` is a path of its own, even if `/v1/regions/{id}` matches too.
  return found.sort((a, b) => Object.keys(a.target).length - Object.keys(b.target).length)[0];
};

const parametersOf = (template: string, path: string): Record<string, string> | undefined => {
  const [names, segments] = [template.split("/"), path.split("/")];
  if (names.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [index, name] of names.entries()) {
    const segment = segments[index] ?? "";
    const parameter = /^\{(\w+)\}$/.exec(name)?.[1];
    if (parameter !== undefined) parameters[parameter] = decoded(segment);
    else if (name !== segment) return undefined;
  }
  return parameters;
};

const decoded = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
};
