import { createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/** Waits until a port of this machine is free. */
const untilFree = async (port: number): Promise<void> => {
  for (;;) {
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once("error", () => resolve(false));
      server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
    });
    if (isFree) return;
    await sleep(200);
  }
};

/** The last page that uses the ports that pages name, such as 4300. */
let lastService: Promise<void> = Promise.resolve();

/** Waits until no other page has a service running. Returns what to call at the end. */
export const waitForPorts = async (ports: readonly number[]): Promise<() => void> => {
  const previous = lastService;
  let release = (): void => undefined;
  lastService = new Promise((resolve) => {
    release = resolve;
  });
  await previous;
  // The one of another program on this machine.
  for (const port of ports) await untilFree(port);
  return release;
};
