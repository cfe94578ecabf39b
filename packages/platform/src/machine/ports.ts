import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { readErrorCode } from "@mgmt/internal/errors/error-code";

/** Returns whether the port is free at the moment. */
export const isPortFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      if (readErrorCode(error) === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });

/**
 * Returns a free port below the ephemeral range (32768 on Linux, 49152 elsewhere), so that the system does not assign it
 * to an outgoing connection while the platform is stopped.
 */
export const chooseStablePort = async (host: string): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isPortFree(port, host)) return port;
  }
};
