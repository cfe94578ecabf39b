import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface EchoServer {
  readonly baseUrl: string;
  close(): void;
}

/**
 * Starts a server that echoes each request's headers and body in an HTML error page, as a careless proxy might. `/token`
 * returns an OAuth error (https://www.rfc-editor.org/rfc/rfc6749#section-5.2) that echoes the body in its description.
 */
export const startEchoServer = async (): Promise<EchoServer> => {
  const server = createServer(async (request, response) => {
    let body = "";
    for await (const chunk of request.setEncoding("utf8")) body += String(chunk);
    const seen = `${JSON.stringify(request.headers)} ${body}`;
    if (request.url === "/token") {
      const [first = "", ...rest] = [...new URLSearchParams(body).values()];
      const description = `Refused: ${[first, ...rest].join(" ")}`;
      response.writeHead(400, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_grant", error_description: description }));
      return;
    }
    const status = request.url?.startsWith("/good") ? 200 : 502;
    response.writeHead(status, { "content-type": "text/html" });
    response.end(`<html><title>${seen}</title><body>${seen}</body></html>`);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a host has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${String(port)}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
};
