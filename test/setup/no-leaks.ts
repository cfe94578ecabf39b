import { isDeepStrictEqual } from "node:util";
import { afterAll, vi } from "vitest";
import { registeredApiErrors } from "../../packages/sdk/src/errors/register-api-error.js";
import { countOpenServers } from "./open-servers.js";

/**
 * Fails a test file that changes what it shares with the files that run after it in the same process. Each key says what differs.
 */
interface SharedState {
  readonly [name: string]: unknown;
}

const listeners = (): SharedState =>
  Object.fromEntries(
    process
      .eventNames()
      // Those only remove files.
      .filter((name) => name !== "exit")
      .map((name) => [String(name), process.listenerCount(name)]),
  );

/** Returns the values of properties. Node.js replaces the getters of some by their values when they are first used. */
const valuesOf = (object: object): SharedState =>
  Object.fromEntries(
    Object.entries(Object.getOwnPropertyDescriptors(object))
      // Names with two underscores are helpers of compiled libraries.
      .filter(([name]) => !lazyNames.has(name) && !name.startsWith("__"))
      .map(([name, { value }]) => [name, value as unknown]),
  );

const lazyNames = new Set(
  Object.entries(Object.getOwnPropertyDescriptors(globalThis)).flatMap(([name, { get }]) =>
    get ? [name] : [],
  ),
);

const parts = {
  "environment variables": () => ({ ...process.env }),
  "the working directory": () => ({ directory: process.cwd() }),
  "the umask": () => ({ umask: process.umask() }),
  "the account": () => ({ uid: process.geteuid?.() }),
  globals: () => valuesOf(globalThis),
  "methods of console": () => valuesOf(console),
  "listeners of process": listeners,
  "listening servers": () => ({ count: countOpenServers() }),
  "fake timers": () => ({ isFaked: vi.isFakeTimers() }),
  "error classes of the SDK": () => Object.fromEntries(registeredApiErrors),
} satisfies Record<string, () => SharedState>;

const observe = (): Record<string, SharedState> =>
  Object.fromEntries(Object.entries(parts).map(([name, read]) => [name, read()]));

const differences = (now: SharedState, then: SharedState): string[] =>
  [...new Set([...Object.keys(now), ...Object.keys(then)])].filter((key) => {
    const [one, other] = [now[key], then[key]];
    return typeof one === "object" || typeof one === "function"
      ? one !== other
      : !isDeepStrictEqual(one, other);
  });

// Evaluated for each test file, before the file is imported.
const before = observe();

afterAll(() => {
  const after = observe();
  const changed = Object.keys(parts).flatMap((name) => {
    const keys = differences(after[name] ?? {}, before[name] ?? {});
    return keys.length > 0 ? [`${name} (${keys.join(", ")})`] : [];
  });
  if (changed.length > 0)
    throw new Error(
      `This file leaves changes to later ones: ${changed.join("; ")}. Undo them when its tests end.`,
    );
});
