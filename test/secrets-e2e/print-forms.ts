import { inspect } from "node:util";

/** Returns every text that printing, logging, or tracking a thrown value can produce, including its causes. */
export const printsOf = (error: unknown): string[] => {
  const prints = [
    String(error),
    inspect(error, { depth: Number.POSITIVE_INFINITY, showHidden: true, getters: true }),
    JSON.stringify(error) ?? "",
  ];
  if (!(error instanceof Error)) return prints;
  const fields = Object.getOwnPropertyNames(error).map((name) => inspect(Reflect.get(error, name)));
  const causes = error.cause === undefined ? [] : printsOf(error.cause);
  return [...prints, error.message, error.stack ?? "", ...fields, ...causes];
};
