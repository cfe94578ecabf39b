import { invalidBodyError } from "../errors/usage-errors.js";
import { bodySchemas } from "../contract/generated/body-schemas.js";
import type { GeneratedCommand } from "../contract/generated-command.js";
import { findSchemaProblems } from "../json/schema-problems.js";

const maxListedProblems = 5;

/**
 * Rejects a body that the contract does not allow: unknown fields, and values of the wrong type, form or length. Fields may be
 * missing, because flags can add them. Throws `usage:invalid_value`.
 *
 * @param bodySource the source of the body.
 */
export const assertBody = (
  { id, method, path }: Pick<GeneratedCommand, "id" | "method" | "path">,
  body: Readonly<Record<string, unknown>>,
  bodySource: string,
): void => {
  const problems = findSchemaProblems(bodySchemas[id] ?? {}, body);
  if (problems.length === 0) return;
  const lines = problems
    .slice(0, maxListedProblems)
    .map(({ path: fieldPath, message }) => `${fieldPath.join(".")} ${message}`);
  const unlistedCount = problems.length - lines.length;
  throw invalidBodyError(
    bodySource,
    [...lines, ...(unlistedCount > 0 ? [`${unlistedCount} more problems`] : [])],
    `${method} ${path}`,
  );
};
