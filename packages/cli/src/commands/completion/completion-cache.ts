import { randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { createDirectory } from "@mgmt/internal/files/create-directory";
import { isObject } from "../../json/json-path.js";

/** The names and ids that the service returned for one resource type. Times are in milliseconds since 1970. */
interface CacheEntry {
  readonly fetchedAt: number;
  readonly namesAndIds: readonly string[];
  /** When the service last responded too slowly. */
  readonly timedOutAt?: number;
}

/** Returns the entries by their keys. There are none if the file is missing or unreadable. */
export const readCache = (path: string): Readonly<Record<string, CacheEntry>> => {
  try {
    const cache: unknown = JSON.parse(readFileSync(path, "utf8"));
    if (!isObject(cache)) return {};
    return Object.fromEntries(
      Object.entries(cache).flatMap(([key, entry]) => (isCacheEntry(entry) ? [[key, entry]] : [])),
    );
  } catch {
    return {};
  }
};

const isCacheEntry = (value: unknown): value is CacheEntry =>
  isObject(value) &&
  typeof value["fetchedAt"] === "number" &&
  (value["timedOutAt"] === undefined || typeof value["timedOutAt"] === "number") &&
  Array.isArray(value["namesAndIds"]) &&
  value["namesAndIds"].every((entry) => typeof entry === "string");

/** Maximum number of entries. A machine uses few services, and few projects at a time. */
const maxEntries = 50;

/** Stores an entry, unless the folder is read-only or the disk is full. */
export const writeCacheEntry = (path: string, key: string, entry: CacheEntry): void => {
  const newestEntries = Object.entries({ ...readCache(path), [key]: entry })
    .sort(([, left], [, right]) => right.fetchedAt - left.fetchedAt)
    .slice(0, maxEntries);
  const temporaryPath = `${path}.${randomUUID()}.part`;
  try {
    createDirectory(dirname(path));
    writeFileSync(temporaryPath, JSON.stringify(Object.fromEntries(newestEntries)), {
      mode: 0o600,
      flag: "wx",
    });
    renameSync(temporaryPath, path);
  } catch {
    // The service is asked again the next time.
  }
};
