import type { OperationTool } from "./operation-tool.js";
import type { ToolArguments } from "./tool.js";

/** The parts of a request that arguments become. */
export interface RequestParts {
  readonly pathParams: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, unknown>>;
  readonly body: Readonly<Record<string, unknown>> | undefined;
}

export const splitArguments = (
  { pathArguments, queryArguments, bodyArguments }: OperationTool,
  args: ToolArguments,
): RequestParts => ({
  pathParams: Object.fromEntries(
    pathArguments.map(({ argument, parameter }) => [parameter, String(args[argument])]),
  ),
  query: selectArguments(queryArguments, args),
  body: bodyArguments && selectArguments(bodyArguments, args),
});

const selectArguments = (names: readonly string[], args: ToolArguments): Record<string, unknown> =>
  Object.fromEntries(names.flatMap((name) => (args[name] === undefined ? [] : [[name, args[name]]])));
