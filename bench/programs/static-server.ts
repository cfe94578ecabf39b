import { createServer } from "node:http";
import { type RecordedAnswer, type StaticServer, answerCalls } from "./calls.js";
import { listen } from "./listen.js";
import { processorTime } from "./processor-time.js";

/** The least that `node:http` can do: the same bytes for every request. */
answerCalls<StaticServer>({
  start: async ({ status, headers, body }: RecordedAnswer) => {
    const bytes = Buffer.from(body);
    const server = createServer((_request, response) => {
      response.writeHead(status, headers);
      response.end(bytes);
    });
    return { baseUrl: await listen(server), token: "" };
  },
  processorTime,
});
