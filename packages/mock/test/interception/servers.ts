import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterEach, vi } from "vitest";
import { type Mock, setupMock } from "@mgmt/mock";

/** Returns functions that start servers, which are closed after each test of the file, the latest first. */
export const setupServers = () => {
  const started: { close(): unknown }[] = [];
  afterEach(async () => {
    for (const server of started.splice(0).toReversed()) await server.close();
  });
  return {
    started,
    /** Returns a server of MSW with four handlers, as a developer has one. */
    theirs: () => {
      const server = setupServer(
        ...["one", "two", "three", "four"].map((name) =>
          http.get(`https://${name}.example.com/`, () => HttpResponse.text(name)),
        ),
      );
      started.push(server);
      return server;
    },
    start: (options?: Parameters<typeof setupMock>[0]): Mock => {
      const mock = setupMock(options);
      started.push(mock);
      return mock;
    },
    /** Counts the requests that leave for a host. */
    startHost: async () => {
      const host = createServer((_request, response) => void response.end());
      const requests = vi.fn();
      host.on("request", requests);
      started.push({ close: () => void host.close() });
      await new Promise<void>((resolve) => host.listen(0, "127.0.0.1", resolve));
      // It listens on a host.
      const { port } = host.address() as AddressInfo;
      return { url: `http://127.0.0.1:${String(port)}/`, requests };
    },
  };
};

/** Returns the response of a handler of a server of the developer. */
export const textOf = async (name: string): Promise<string> =>
  (await fetch(`https://${name}.example.com/`)).text();
