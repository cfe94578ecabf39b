import { type Server, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createServer } from "@mgmt/mock/server";

/** The address and credentials that a program needs. */
export interface ServerAddresses {
  baseUrl: string;
  authUrl: string;
  token: string;
  clientId: string;
  /** `POST /consent` with the URL of a login allows the login as the user, and returns the redirect. */
  helper: string;
}

export interface Surroundings {
  addresses: ServerAddresses;
  close(): Promise<void>;
}

/**
 * Starts a reference server whose `me.get` is slow, and a user who allows every login. `page` is the response
 * of `GET /`.
 */
export const startReferenceServer = async (page = ""): Promise<Surroundings> => {
  const server = await createServer();
  server.engine.faults.add({ operation: "me.get", latency: 5_000 });
  const helper = createHttpServer((request, response) => {
    if (request.method === "GET") {
      const isScript = request.url === "/program.js";
      response.setHeader("content-type", isScript ? "text/javascript" : "text/html");
      return response.end(
        isScript ? page : '<!doctype html><script type="module" src="/program.js"></script>',
      );
    }
    return text(request)
      .then((url) => server.engine.oauth.consent({ url }))
      .then(
        ({ redirect }) => response.end(redirect),
        (error: unknown) => response.writeHead(400).end(String(error)),
      );
  });
  return {
    addresses: {
      baseUrl: server.baseUrl,
      authUrl: server.engine.settings.authUrl,
      token: await server.engine.tokens.user(),
      clientId: "itgr_mgmtcommandlineinterface",
      helper: `http://127.0.0.1:${String(await listen(helper))}`,
    },
    close: async () => {
      helper.closeAllConnections();
      helper.close();
      await server.close();
    },
  };
};

const listen = (server: Server): Promise<number> =>
  new Promise((resolve) => {
    // A server on TCP has an address with a port.
    server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port));
  });
