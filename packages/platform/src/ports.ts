import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { systemErrorCode } from "./platform-error.js";

/** Whether a program could listen on the port now. */
export const isFree = (port: number, host: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once("error", (error) => {
      if (systemErrorCode(error) === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    probe.listen({ port, host, exclusive: true }, () => probe.close(() => resolve(true)));
  });

/**
 * A free port that is likely to stay so while nobody listens on it: below those that systems hand out to outgoing
 * connections (from 32768 on Linux, 49152 elsewhere).
 */
export const findLastingPort = async (host: string): Promise<number> => {
  for (;;) {
    const port = randomInt(15_000, 32_000);
    if (await isFree(port, host)) return port;
  }
};
