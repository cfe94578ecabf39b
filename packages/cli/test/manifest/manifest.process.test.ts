import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { inProcess } from "../in-process.js";
import { shop, useProvisioning } from "../provisioning.js";
import { startSession } from "../terminal.js";

const here = useProvisioning();
const { write } = here;

describe("mgmt apply --dry-run", () => {
  it("prints a script for curl that has the same effect", async () => {
    // The script does not wait until a database that is copied is ready.
    const session = await startSession({ settings: { lifecycle: { provisioning: 0, recovering: 0 } } });
    const run = inProcess({ env: session.env, cwd: here.folder });
    write(shop);
    const { stdout } = await run`apply --dry-run=curl`;
    expect(stdout).not.toContain(session.env["MGMT_TOKEN"]);
    await promisify(execFile)("bash", ["-c", stdout], { env: { ...process.env, ...session.env } });
    expect((await run`plan`).stdout).toBe("No changes.\n");
    await session.close();
  });
});
