import { compile, search } from "@jmespath-community/jmespath";
import { usageError } from "../errors/usage-errors.js";
import type { OutputQuery } from "./output.js";

/** Parses a JMESPath expression. Throws a usage error if it is not valid. See https://jmespath.org/specification.html. */
export const parseQuery = (expression: string): OutputQuery => {
  wrapQueryErrors(() => compile(expression));
  // Results are JSON, as are the parameters of `search`.
  return (result) => wrapQueryErrors(() => search(result as Parameters<typeof search>[0], expression));
};

const wrapQueryErrors = <T>(run: () => T): T => {
  try {
    return run();
  } catch (error) {
    const problem = error instanceof Error ? error.message.split("\n", 1)[0] : String(error);
    throw usageError(
      `--query is not a valid JMESPath expression: ${problem ?? ""}`,
      "Examples: '[].name', \"[?status=='ready'].id\", 'region.id'. See https://jmespath.org.",
    );
  }
};
