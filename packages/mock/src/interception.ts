import type { RequestHandler } from "msw";
import { type SetupServer, setupServer } from "msw/node";

export type UnhandledRequestStrategy = "bypass" | "warn" | "error";

interface Listener {
  readonly handlers: readonly RequestHandler[];
  readonly onUnhandledRequest: UnhandledRequestStrategy;
}

/**
 * MSW servers in the same process intercept each other's requests, and the first one to let a request through
 * decides what happens to it. Therefore all mocks share one server, which listens while at least one mock
 * does.
 */
const listeners = new Map<object, Listener>();
let server: SetupServer | undefined;

/** Adds handlers for the requests of this process, until `release` is called with the same owner. */
export const intercept = (owner: object, listener: Listener): void => {
  listeners.set(owner, listener);
  renew();
};

export const release = (owner: object): void => {
  if (listeners.delete(owner)) renew();
};

const renew = (): void => {
  server?.close();
  server = undefined;
  if (listeners.size === 0) return;
  const all = [...listeners.values()];
  server = setupServer(...all.flatMap(({ handlers }) => handlers));
  server.listen({ onUnhandledRequest: strictest(all) });
};

/** Returns the strictest strategy that any mock has chosen. */
const strictest = (all: readonly Listener[]): UnhandledRequestStrategy => {
  const asked = all.map(({ onUnhandledRequest }) => onUnhandledRequest);
  return (
    asked.find((strategy) => strategy === "error") ??
    asked.find((strategy) => strategy === "warn") ??
    "bypass"
  );
};
