import { unknownFieldError } from "../../errors/usage-errors.js";
import { toUniqueNames } from "../../postgres/column-names.js";
import type { SingleStatement } from "../../postgres/single-statement.js";
import { findSimilar } from "../../text/suggest.js";

type Rows = AsyncGenerator<Readonly<Record<string, unknown>>[]>;

/** Returns the rows. Throws `usage:invalid` before the first one if the statement has no column of a name in `fields`. */
export const assertColumns = async function* (
  rows: Rows,
  statement: Pick<SingleStatement, "columns">,
  fields: readonly string[] = [],
): Rows {
  let isChecked = false;
  const check = (): void => {
    isChecked = true;
    const names = toUniqueNames(statement.columns);
    const unknownField = names.length > 0 ? fields.find((field) => !names.includes(field)) : undefined;
    if (unknownField !== undefined)
      throw unknownFieldError(unknownField, findSimilar(unknownField, names), names);
  };
  for await (const portion of rows) {
    if (!isChecked) check();
    yield portion;
  }
  if (!isChecked) check();
};
