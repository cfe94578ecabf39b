import { createServer } from "@mgmt/mock/server";
import { type ReferenceServer, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

/** The standalone reference server with its defaults, in memory. */
serveCalls<ReferenceServer>({
  start: async () => {
    const { baseUrl, engine } = await createServer();
    return { baseUrl, token: await engine.tokens.service() };
  },
  processorTime,
});
