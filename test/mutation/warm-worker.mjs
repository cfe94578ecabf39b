import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import { createVitest } from "vitest/node";

/** Name of the channel between the process of Stryker and the worker thread of Vitest. */
export const channelName = "mutation-tests";

/**
 * Starts Vitest with one worker thread that stays. `warm-loop.mjs` runs in it.
 *
 * @returns The paths of the test files; `run` to run tests in the worker; and `stop`.
 */
export const startWorker = async (configFile, namespace) => {
  process.env["NODE_ENV"] = "test";
  process.env["VITEST"] = "1";
  const vitest = await createVitest("test", {
    config: configFile,
    pool: "threads",
    maxWorkers: 1,
    isolate: false,
    fileParallelism: false,
    runner: fileURLToPath(new URL("warm-loop.mjs", import.meta.url)),
    reporters: [{}],
    coverage: { enabled: false },
    watch: false,
    dangerouslyIgnoreUnhandledErrors: true,
  });
  const specifications = await vitest.globTestSpecifications();
  const channel = new BroadcastChannel(channelName);
  let settle;
  const next = () => new Promise((resolve) => (settle = resolve));
  channel.onmessage = ({ data }) => settle(data);
  const ready = next();
  const ended = vitest.runTestSpecifications(specifications.slice(0, 1)).catch((error) => settle({ error }));
  await ready;
  return {
    files: specifications.map(({ moduleId }) => relative(process.cwd(), moduleId)),
    run: async (request) => {
      const response = next();
      channel.postMessage({ ...request, namespace });
      const { error, ...result } = await response;
      if (error !== undefined) throw error;
      return result;
    },
    stop: async () => {
      channel.postMessage({ stop: true });
      await ended;
      channel.close();
      await vitest.close();
    },
  };
};
