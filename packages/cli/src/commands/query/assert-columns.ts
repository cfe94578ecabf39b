import { unknownFieldError, usageError } from "../../errors/usage-errors.js";
import { idFields } from "../../output/data-writers.js";
import { toUniqueNames } from "../../postgres/column-names.js";
import type { SingleStatement } from "../../postgres/single-statement.js";
import { findSimilar } from "../../text/suggest.js";

type Rows = AsyncGenerator<Readonly<Record<string, unknown>>[]>;

/**
 * Returns the rows. Throws `usage:invalid` before the first one if the statement has no column of a name in `fields`, or none that
 * identifies a row where only those are printed.
 */
export const assertColumns = async function* (
  rows: Rows,
  statement: Pick<SingleStatement, "columns">,
  { fields = [], printsIds }: { readonly fields: readonly string[] | undefined; readonly printsIds: boolean },
): Rows {
  let isChecked = false;
  const check = (): void => {
    isChecked = true;
    const names = toUniqueNames(statement.columns);
    if (printsIds && names.length > 0 && !idFields.some((field) => names.includes(field))) {
      throw usageError(
        `--output name prints one of the columns ${idFields.join(", ")}, and the statement has none of them`,
        "Give a column such a name, as in 'select slug as id from notes', or pass --csv.",
      );
    }
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
