import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { ensureBuilt } from "../../../test/bin.js";
import { temporaryFolder } from "../../../test/folders.js";
import { run, useSession } from "../../../test/terminal.js";

const folder = temporaryFolder();

const session = useSession();

describe("mgmt open", () => {
  // Only xdg-open, the program that opens addresses on Linux, uses this variable.
  it.skipIf(process.platform !== "linux")("starts the browser without the token", async () => {
    await ensureBuilt();
    const seen = join(folder, "seen");
    const script = join(folder, "browser");
    writeFileSync(script, `#!/bin/sh\n{ echo "$@"; env; } > "${seen}.part" && mv "${seen}.part" "${seen}"\n`);
    chmodSync(script, 0o755);
    const env = { ...session.env, BROWSER: script, OTHER: "passed on" };
    const { status, json } = await run(["open", "docs", "--browser", "-o", "json"], { env });
    expect({ status, json }).toMatchObject({ status: 0, json: { opened: true } });
    // The browser does not belong to the command, which does not wait for it.
    await vi.waitUntil(() => existsSync(seen), { timeout: 100_000, interval: 50 });
    const text = readFileSync(seen, "utf8");
    expect(text).toContain(`${session.server.baseUrl}/v1/doc\n`);
    expect(text).toContain("OTHER=passed on");
    expect(text).not.toContain("MGMT_");
    expect(text).not.toContain(session.env["MGMT_TOKEN"]);
  });
});
