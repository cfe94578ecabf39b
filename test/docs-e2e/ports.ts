import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "./page.js";

/** The port that pages name. */
const named = 4300;

/** Returns a port that no program of this machine uses. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  // A server that listens on a port has such an address.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
};

/** Returns a step with a port in place of the one that pages name. */
export const onPort = (step: Step, port: number): Step => {
  const moved: Step = JSON.parse(JSON.stringify(step).replaceAll(String(named), String(port)));
  const isOnDefaultPort = moved.do === "serve" && !moved.command.includes("--port");
  return isOnDefaultPort ? { ...moved, command: `${moved.command} --port ${String(port)}` } : moved;
};

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

/**
 * Waits until no other page has a service running, and the port that pages name is free, and others that a command has. Returns what to
 * call at the end.
 */
export const waitForPorts = async (ports: readonly number[]): Promise<() => void> => {
  const previous = lastService;
  let release = (): void => undefined;
  lastService = new Promise((resolve) => {
    release = resolve;
  });
  await previous;
  // The one of another program on this machine.
  for (const port of [named, ...ports]) await untilFree(port);
  return release;
};
