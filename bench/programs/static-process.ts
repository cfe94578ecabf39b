import { createServer } from "node:http";
import { listen } from "./listen.js";

/** The least that a standalone server can be; it writes where it listens and runs until it is killed. */
const server = createServer((_request, response) => {
  response.writeHead(200, { "content-type": "application/json" });
  response.end('{"data":[],"pagination":{"nextCursor":null,"hasMore":false}}');
});
console.log(JSON.stringify({ baseUrl: await listen(server), token: "" }));
