import { createServer } from "@mgmt/mock/server";

/** Runs the standalone reference server until killed, and prints where it listens. */
const { baseUrl, engine } = await createServer();
console.log(JSON.stringify({ baseUrl, token: await engine.tokens.service() }));
