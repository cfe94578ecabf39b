import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { runAttack } from "./other-account.js";

const source = readFileSync(fileURLToPath(new URL("recorder-attack.mjs", import.meta.url)), "utf8");

/** A request as a recorder received it. */
export interface Received {
  method: string;
  url: string;
  headers: Record<string, string>;
  body: string;
}

/** Runs a program of another account, if possible, that listens on a port of 127.0.0.1 and records what it receives. */
export const record = async (port: number, work: (address: string) => Promise<void>): Promise<Received[]> => {
  const address = `http://127.0.0.1:${String(port)}`;
  const recording = runAttack(source, { port });
  let isOver = false;
  recording.catch(() => undefined).finally(() => (isOver = true));
  const isListening = (): Promise<boolean> =>
    fetch(`${address}/started`).then(
      () => true,
      () => false,
    );
  while (!isOver && !(await isListening())) await sleep(50);
  try {
    await work(address);
  } finally {
    await fetch(`${address}/end`).catch(() => undefined);
  }
  // The program prints this.
  return (await recording) as Received[];
};
