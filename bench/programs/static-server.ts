import { createServer } from "node:http";
import { answer } from "./answer.js";
import { listen } from "./listen.js";

/** The minimum for `node:http`: the same bytes for every request. */
await answer(async ({ headers, body }: { headers: Record<string, string>; body: string }) => {
  const bytes = Buffer.from(body);
  const server = createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(bytes);
  });
  return { baseUrl: await listen(server), token: "" };
});
