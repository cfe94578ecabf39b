import type { Service } from "./sdk.js";

/** A service that creates something for every request, except for one with a key that it has seen. */
export const serviceWithKeys = (body: object): Service => {
  const keys = new Set<unknown>();
  return {
    respond: ({ headers }) => {
      keys.add(headers["idempotency-key"] ?? Symbol("none"));
      return { body };
    },
    created: () => keys.size,
  };
};
