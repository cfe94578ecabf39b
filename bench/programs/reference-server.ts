import { createServer } from "@mgmt/mock/server";
import { answer } from "./answer.js";

/** The standalone reference server with its defaults, in memory. */
await answer(async () => {
  const { baseUrl, engine } = await createServer();
  return { baseUrl, token: await engine.tokens.service() };
});
