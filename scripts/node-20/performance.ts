const start = process.hrtime.bigint();

/**
 * Replaces the global `performance` in the build of the command, which uses only `now`. On Node.js 20, the first use of the
 * global loads all of `node:perf_hooks`.
 */
export const performance = {
  now: (): number => Number(process.hrtime.bigint() - start) / 1_000_000,
};
