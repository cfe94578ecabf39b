import { createServer } from "node:http";
import { listen } from "./listen.js";

/** Runs a minimal standalone server until killed, and prints where it listens. */
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"data":[],"pagination":{"nextCursor":null,"hasMore":false}}');
});
console.log(JSON.stringify({ baseUrl: await listen(server), token: "" }));
