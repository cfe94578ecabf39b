import { createServer } from "node:https";
import { type RecordedResponse, serveCalls, type StaticTlsServer } from "./calls.js";
import { listen } from "./listen.js";
import { processorTime } from "./processor-time.js";

/** The same bytes for every request, over TLS. */
serveCalls<StaticTlsServer>({
  start: async ({ status, headers, body }: RecordedResponse, identity) => {
    const bytes = Buffer.from(body);
    const server = createServer(identity, (_request, response) => {
      response.writeHead(status, headers);
      response.end(bytes);
    });
    return { baseUrl: (await listen(server)).replace(/^http:/, "https:"), token: "" };
  },
  processorTime,
});
