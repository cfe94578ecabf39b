import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { promisify } from "node:util";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { ensureBuilt } from "../../packages/cli/test/bin.js";
import { TestService } from "../../packages/platform/test/service.js";
import { root } from "../../scripts/generate/contract/contract.js";
import { blocksOf } from "../docs/markdown.js";

const service = new TestService({ initializes: false });
const page = "docs/guides/serve.md";
const blocks = blocksOf(page);

interface Addresses {
  address: string;
  adminAddress: string;
}

beforeAll(() => ensureBuilt());

it("the commands of the guide to a service work from top to bottom", async () => {
  const folder = mkdtempSync(join(tmpdir(), "mgmt-guide-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const env = {
    ...process.env,
    PATH: `${join(root, "node_modules/.bin")}:${process.env["PATH"] ?? ""}`,
    MGMT_CONFIG_DIR: join(folder, "config"),
    MGMT_SERVE_DATABASE_URL: service.buildUrl("service"),
  };
  const start = async (command: string): Promise<Addresses> => {
    const server = spawn("bash", ["-c", `exec ${command}`], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = once(server, "exit");
    onTestFinished(async () => {
      server.kill("SIGKILL");
      await ended;
    });
    const ready = new Promise<Addresses>((resolve) => {
      createInterface({ input: server.stdout }).on("line", (line) => {
        const entry: Addresses & { msg: string } = JSON.parse(line);
        if (entry.msg === "ready") resolve(entry);
      });
    });
    return Promise.race([ready, ended.then(() => Promise.reject(new Error("The server has ended")))]);
  };
  let addresses: Addresses | undefined;
  const [settings] = blocks.filter(({ language }) => language === "yaml");
  writeFileSync(join(folder, "serve.yaml"), settings?.text.replaceAll(/(127\.0\.0\.1):430\d/g, "$1:0") ?? "");
  for (const { use, text, where } of blocks) {
    if (use === "serve") addresses = await start(text);
    if (use !== "service") continue;
    const script = text
      .replaceAll("http://127.0.0.1:4300", addresses?.address ?? "")
      .replaceAll("http://127.0.0.1:4301", addresses?.adminAddress ?? "");
    await promisify(execFile)("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env }).catch(
      (error: unknown) => expect.fail(`${where}: ${String(error)}`),
    );
  }
  const metrics = await (await fetch(`${addresses?.adminAddress ?? ""}/metrics`)).text();
  const names = readFileSync(join(root, page), "utf8").match(/`mgmt_\w+`/g) ?? [];
  expect(names.length).toBeGreaterThan(5);
  for (const name of names) expect(metrics).toContain(`# HELP ${name.slice(1, -1)} `);
});
