import { createServer } from "node:http";

// Listens on a port, and prints everything that it has received once it is asked to end.
const received = [];
const server = createServer(async (request, response) => {
  const { method, url, headers } = request;
  if (url === "/end") {
    response.end();
    server.close();
    server.closeAllConnections();
    console.log(JSON.stringify(received));
    return;
  }
  let body = "";
  for await (const chunk of request) body += chunk;
  if (url !== "/started") received.push({ method, url, headers, body });
  response.setHeader("content-type", "application/json");
  response.end(
    JSON.stringify({ data: [], pagination: { hasMore: false, nextCursor: null }, proof: "A".repeat(43) }),
  );
});
server.listen(globalThis.input.port, "127.0.0.1");
