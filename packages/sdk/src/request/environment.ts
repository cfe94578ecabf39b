import type { EnvironmentVariable } from "@mgmt/internal/environment/variables";

/** Returns a variable of the environment; undefined if there is none, or no environment, as in browsers. */
export const readEnvironmentVariable = (name: EnvironmentVariable): string | undefined =>
  globalThis.process?.env?.[name]?.trim();
