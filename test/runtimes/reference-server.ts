import { type Server, createServer as createHttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { createServer } from "@mgmt/mock/server";

/** What a program has to know of the server. */
export interface ServerAddresses {
  baseUrl: string;
  authUrl: string;
  token: string;
  clientId: string;
  /** `POST /consent` with the address of a login says the user's yes, and answers where the browser would go. */
  helper: string;
}

export interface Surroundings {
  addresses: ServerAddresses;
  close(): Promise<void>;
}

/** A reference server whose `me.get` takes too long, and a user who agrees to every login. `page` is what `GET /` answers. */
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
