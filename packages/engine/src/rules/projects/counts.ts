/** `{ database: 1, app: 2 }` is "1 database and 2 apps"; kinds of which there are none are left out. */
export const countOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${String(count)} ${kind}${count === 1 ? "" : "s"}`)
    .join(" and ");
