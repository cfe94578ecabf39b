import { once } from "node:events";
import type { Server } from "node:net";

/** Listens on a free loopback port and returns the origin. */
export const listen = async (server: Server): Promise<string> => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The server has no port");
  return `http://127.0.0.1:${String(address.port)}`;
};
