import { createServer } from "@mgmt/mock/server";

/** The standalone reference server; it writes where it listens and runs until it is killed. */
const { baseUrl, engine } = await createServer();
console.log(JSON.stringify({ baseUrl, token: await engine.tokens.service() }));
