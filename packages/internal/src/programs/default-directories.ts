import { readdir } from "node:fs/promises";

/** Where systems install the programs of Postgres. One `*` in a segment matches a version. */
export const defaultSystemDirectories: readonly string[] = [
  "/usr/lib/postgresql/*/bin",
  "/usr/libexec/postgresql*",
  "/usr/pgsql-*/bin",
  "/opt/homebrew/opt/postgresql@*/bin",
  "/usr/local/opt/postgresql@*/bin",
  "/Applications/Postgres.app/Contents/Versions/*/bin",
];

/** Returns the directories that match a pattern with one `*`, newest version first. */
export const expandVersionPattern = async (pattern: string): Promise<string[]> => {
  const segments = pattern.split("/");
  const starIndex = segments.findIndex((segment) => segment.includes("*"));
  const parent = segments.slice(0, starIndex).join("/");
  const [prefix = "", suffix = ""] = (segments[starIndex] ?? "").split("*");
  const names = await readdir(parent).catch(() => []);
  return names
    .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
    .sort((left, right) => right.localeCompare(left, "en", { numeric: true }))
    .map((name) => [parent, name, ...segments.slice(starIndex + 1)].join("/"));
};
