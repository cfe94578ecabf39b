import { createServer } from "node:http";
import { type RecordedResponse, type StaticServer, serveCalls } from "./calls.js";
import { listen } from "./listen.js";
import { processorTime } from "./processor-time.js";

/** The minimum for `node:http`: the same bytes for every request. */
serveCalls<StaticServer>({
  start: async ({ status, headers, body }: RecordedResponse) => {
    const bytes = Buffer.from(body);
    const server = createServer((_request, response) => {
      response.writeHead(status, headers);
      response.end(bytes);
    });
    return { baseUrl: await listen(server), token: "" };
  },
  processorTime,
});
