import { spawnSync } from "node:child_process";
import { readFile, rm, statfs } from "node:fs/promises";
import { join } from "node:path";
import { describe, textAt } from "../request.js";
import { readMarker, runStatement, writeMarker } from "../tenant-sql.js";
import { Violation, eventually } from "../violation.js";
import type { CrashCase } from "./cuts.js";
import { withOwnMount } from "./own-mount.js";

/** Uses the platform while a tenant fills the disk, while another program has filled it, and when there is space again. */
export const fullDisk: CrashCase = (directory, log) =>
  withOwnMount({ name: "full-disk", directory, size: "400m" }, log, async (dev) => {
    await dev.start();
    const request = (method: string, path: string, body?: object) =>
      dev.call(dev.tokens[0], method, path, body);
    const { body } = await request("POST", "/v1/projects", { name: "shop" });
    const url = textAt(body, "data", "database", "connectionString");
    await eventually("The database is not ready", () => writeMarker(url, 1).then(() => undefined));
    /** Every response is a success, or one that a client may repeat. */
    const expectAnswers = async (): Promise<void> => {
      for (const answer of [
        await request("GET", "/v1/projects"),
        await request("POST", "/v1/projects", { name: "added" }),
      ])
        if (answer.status >= 400 && !(answer.status === 503 && answer.hasRetryAfter))
          throw new Violation(`On a full disk, the API responded with ${describe(answer)}`);
    };
    const expectRecovery = async (): Promise<void> => {
      await eventually("The database cannot be used", async () =>
        (await readMarker(url)) === 1 ? undefined : "it has no marker",
      );
      await eventually("No database can be created", async () => {
        const answer = await request("POST", "/v1/projects", { name: "later" });
        if (answer.status !== 201) return describe(answer);
        await readMarker(textAt(answer.body, "data", "database", "connectionString"));
        return undefined;
      });
    };

    const fill =
      "create table public.large as select repeat(md5(n::text), 60) from generate_series(1, 100000000) n";
    const code = await runStatement(url, fill);
    log(`a tenant that fills the disk gets the error ${String(code)}`);
    if (code === undefined) throw new Violation("A tenant wrote more than the disk has");
    await expectAnswers();
    await expectRecovery();

    const filler = join(dev.dataDir, "filler");
    spawnSync("dd", ["if=/dev/zero", `of=${filler}`, "bs=64k"], { stdio: "ignore" });
    // The control: nothing is left.
    if ((await statfs(dev.dataDir)).bavail > 16) throw new Violation("The disk is not full");
    for (let count = 0; count < 5; count += 1) await expectAnswers();
    const waits = /disk of .* is full/.test(await readFile(dev.log, "utf8"));
    await rm(filler);
    await expectRecovery();
    await dev.stop();
    await dev.start();
    await expectRecovery();
    log(
      `a full disk ${waits ? "is reported, and " : ""}loses nothing, and the platform goes on when there is space`,
    );
    await dev.stop();
  });
