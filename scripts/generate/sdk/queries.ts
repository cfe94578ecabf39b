import type { Contract } from "../contract/contract.js";
import { header } from "./names.js";

/** Generates the names of the query parameters of each path, by which calls in JavaScript are checked. */
export const generateQueryNames = ({ operations }: Contract): string => {
  const rows = operations
    .filter(({ queryParameters }) => queryParameters.length > 0)
    .map(
      ({ path, queryParameters }) =>
        `  "${path}": ${JSON.stringify(queryParameters.map(({ name }) => name))},\n`,
    );
  return `${header}
/** Names of the query parameters of GET, by path. */
export const queryNames: Readonly<Record<string, readonly string[]>> = {
${rows.join("")}};
`;
};
