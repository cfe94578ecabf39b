import { Server } from "node:net";

const servers = new Set<Server>();
const { listen } = Server.prototype;

Object.assign(Server.prototype, {
  listen(this: Server, ...words: Parameters<typeof listen>): Server {
    servers.add(this);
    return Reflect.apply(listen, this, words);
  },
});

/** Returns how many servers of this process listen. */
export const countOpenServers = (): number => {
  for (const server of servers) if (!server.listening) servers.delete(server);
  return servers.size;
};
