/** Counts the letters that are missing, added, replaced, or swapped with the next one: the Damerau–Levenshtein distance. */
export const countTypingErrors = (left: string, right: string): number => {
  let rowBeforeLast: number[] = [];
  let lastRow = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row += 1) {
    const currentRow = [row];
    for (let column = 1; column <= right.length; column += 1) {
      const isSame = left[row - 1] === right[column - 1];
      const isSwapped = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      currentRow.push(
        Math.min(
          (lastRow[column] ?? Infinity) + 1,
          (currentRow[column - 1] ?? Infinity) + 1,
          (lastRow[column - 1] ?? Infinity) + (isSame ? 0 : 1),
          isSwapped ? (rowBeforeLast[column - 2] ?? Infinity) + 1 : Infinity,
        ),
      );
    }
    rowBeforeLast = lastRow;
    lastRow = currentRow;
  }
  return lastRow.at(-1) ?? 0;
};
