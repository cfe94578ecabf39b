import { lint } from "@redocly/openapi-core";
import spectralCore from "@stoplight/spectral-core";
import spectralRulesets from "@stoplight/spectral-rulesets";
import { fileURLToPath } from "node:url";
import { type Contract, entry, loadContract, redocly, root } from "./contract.js";
import { lintResources } from "./lint-resources.js";

/** Returns the problems of the contract, one line each. */
export const lintContract = async (): Promise<string[]> => {
  const problems = await lintWithRedocly();
  // The other linters need a valid document.
  if (problems.length > 0) return problems;
  const contract = await loadContract();
  return lintResources(contract);
};

const lintWithRedocly = async (): Promise<string[]> => {
  const problems = await lint({ ref: entry, config: await redocly() });
  return problems.map(({ severity, location: [location], message, ruleId }) => {
    const file = location?.source.absoluteRef.replace(root, "") ?? "openapi";
    return `${severity} ${file}${location?.pointer ?? ""}: ${message} (${ruleId})`;
  });
};

/** Returns the problems that Spectral's `oas` ruleset finds, one line each. It takes several seconds. */
export const lintWithSpectral = async ({ document }: Contract): Promise<string[]> => {
  const spectral = new spectralCore.Spectral();
  // The type of the published ruleset is wider than a ruleset.
  spectral.setRuleset({ extends: [spectralRulesets.oas] } as Parameters<typeof spectral.setRuleset>[0]);
  const problems = await spectral.run(JSON.stringify(document));
  return problems.map(({ code, path, message }) => `openapi ${path.join("/")}: ${message} (${code})`);
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = [...(await lintContract()), ...(await lintWithSpectral(await loadContract()))];
  if (problems.length > 0) {
    console.error(problems.join("\n"));
    process.exitCode = 1;
  }
}
