import { createServer } from "@mgmt/mock/server";
import { type ReferenceServer, answerCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

/** The standalone reference server as it comes, in memory. */
answerCalls<ReferenceServer>({
  start: async () => {
    const { baseUrl, engine } = await createServer();
    return { baseUrl, token: await engine.tokens.service() };
  },
  processorTime,
});
