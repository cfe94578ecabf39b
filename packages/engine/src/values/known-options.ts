import { findClosestName } from "@mgmt/internal/text/closest-name";
import { InvalidArgumentError } from "./invalid-argument-error.js";

/**
 * Throws for options that are not an object, and for an option that does not exist, which TypeScript rejects, too.
 *
 * @param options the options, or anything else that a JavaScript program passes.
 * @param knownNames the names of all options.
 * @param path where the options are: `settings.` for those in `settings`.
 * @throws TypeError that names the option and the most similar one, and all.
 */
export const assertKnownOptions = (options: unknown, knownNames: readonly string[], path = ""): void => {
  const allNames = knownNames.map((name) => path + name).join(", ");
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new InvalidArgumentError(
      `${path.slice(0, -1) || "The argument"} must be an object. The options are ${allNames}`,
    );
  }
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || knownNames.includes(name)) continue;
    const similarName = findClosestName(name, knownNames);
    const suggestion = similarName === undefined ? "" : ` Did you mean ${path}${similarName}?`;
    throw new InvalidArgumentError(
      `There is no option ${path}${name}.${suggestion} The options are ${allNames}`,
    );
  }
};
