import { realpath } from "node:fs/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { processTitled, running, signalAll } from "../../../packages/platform/test/processes.js";
import { Away } from "../away.js";
import { MgmtDev } from "../mgmt-dev.js";
import { readMarker, writeMarker } from "../tenant-sql.js";
import { Violation, eventually } from "../violation.js";
import type { CaseContext, CrashCase } from "./crash-case.js";
import { callOk, makeProject } from "./service.js";

const targets = ["platform", "postmaster", "backend"] as const;

const find = async (dev: MgmtDev, target: (typeof targets)[number]): Promise<number> => {
  if (target === "platform") return dev.ready.pid;
  if (target === "postmaster") return dev.postmaster();
  const pid = processTitled(await realpath(dev.cluster), "[local]");
  if (pid === undefined) throw new Violation("The platform has no session");
  return pid;
};

const suspend = async (dev: MgmtDev, target: (typeof targets)[number], suspension: number): Promise<void> => {
  const { url, databaseId } = await makeProject(dev, `before-${target}`);
  await writeMarker(url, 1);
  const pid = await find(dev, target);
  const away = new Away(dev);
  const ending = new AbortController();
  signalAll([pid], "SIGSTOP");
  away.killed(`SIGSTOP of the ${target}`, 0);
  // Only a suspended platform may leave requests without a response.
  const watch = target === "platform" ? Promise.resolve() : away.watch(ending.signal);
  try {
    await Promise.race([sleep(suspension), watch]);
  } finally {
    // The platform may have ended it, and another program may have its number now.
    signalAll(running([pid]), "SIGCONT");
    ending.abort();
  }
  await watch;
  await eventually(`The API after the ${target} was suspended`, async () => {
    await callOk(dev, "GET", `/v1/databases/${databaseId}`);
    const marker = await readMarker(url);
    return marker === 1 ? undefined : `the database contains ${String(marker)}`;
  });
  await makeProject(dev, `after-${target}`);
};

/** Suspends a process for a while. The API must come back, and everything that was stored must be there. */
export const suspended: CrashCase = {
  name: "suspended",
  run: async ({ directory, suspension, log }: CaseContext) => {
    const dev = new MgmtDev(directory);
    try {
      await dev.start();
      for (const target of targets) {
        await suspend(dev, target, suspension);
        log(`the ${target} was suspended for ${String(suspension / 1_000)} s`);
      }
      await dev.stop();
    } finally {
      dev.killEverything();
    }
  },
};
