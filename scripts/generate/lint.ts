import { lint } from "@redocly/openapi-core";
import { entry, loadContract, redocly, root } from "./contract.js";
import { lintResources } from "./lint-resources.js";

/** Returns the problems of the contract, one line each. */
export const lintContract = async (): Promise<string[]> => {
  const problems = await lint({ ref: entry, config: await redocly() });
  const lines = problems.map((problem) => {
    const location = problem.location[0];
    const file = location?.source.absoluteRef.replace(root, "") ?? "openapi";
    return `${problem.severity} ${file}${location?.pointer ?? ""}: ${problem.message} (${problem.ruleId})`;
  });
  // Other checks need a valid document.
  return lines.length > 0 ? lines : lintResources(await loadContract());
};
