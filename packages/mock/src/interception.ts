import type { RequestHandler } from "msw";
import { type SetupServer, setupServer } from "msw/node";

export type UnhandledRequestStrategy = "bypass" | "warn" | "error";

interface Listener {
  readonly handlers: readonly RequestHandler[];
  readonly onUnhandledRequest: UnhandledRequestStrategy;
}

/**
 * MSW servers of one process see each other's requests, and the first to let one through decides. So all mocks share one
 * server, which listens while any of them does.
 */
const listeners = new Map<object, Listener>();
let server: SetupServer | undefined;

/** Answers the process's requests by these handlers too, until `release`. */
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

/** Where mocks differ, the strictest has its way. */
const strictest = (all: readonly Listener[]): UnhandledRequestStrategy => {
  const asked = all.map(({ onUnhandledRequest }) => onUnhandledRequest);
  return (
    asked.find((strategy) => strategy === "error") ??
    asked.find((strategy) => strategy === "warn") ??
    "bypass"
  );
};
