/** Returns whether two arrays have the same elements in the same order. Elements are compared by identity. */
export const haveSameElements = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((element, index) => element === right[index]);
