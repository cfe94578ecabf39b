/** Returns names of columns that are all different: a name that occurs again gets the number of its column. */
export const toUniqueNames = (columns: readonly { readonly name: string }[]): string[] => {
  const names = new Set<string>();
  for (const [index, { name }] of columns.entries()) {
    let uniqueName = name;
    for (let number = index + 1; names.has(uniqueName); number += 1) uniqueName = `${name}_${String(number)}`;
    names.add(uniqueName);
  }
  return [...names];
};
