import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer } from "node:tls";
import { promisify } from "node:util";
import { expect, it, onTestFinished } from "vitest";
import { loadServerCredentials } from "../../packages/platform/src/machine/tls/server-credentials.js";
import { tools } from "./tools.js";

const run = promisify(execFile);

/** Prints what a server says over a connection that is verified with the certificate of its authority. */
const client = `
  import { readFileSync } from "node:fs";
  import process from "node:process";
  import { connect } from "node:tls";
  const [host, port, caFile] = process.argv.slice(-3);
  const socket = connect({ host, port: Number(port), ca: readFileSync(caFile) });
  socket.on("error", (error) => { console.error(error.message); process.exit(1); });
  socket.pipe(process.stdout);`;

const startServer = async (): Promise<{ port: string; caFile: string }> => {
  const directory = await mkdtemp(join(tmpdir(), "mgmt-certificate-"));
  const { key, cert, caFile } = await loadServerCredentials(directory, { isDurable: false });
  const server = createServer({ key, cert }, (socket) => socket.end("verified"));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(async () => {
    server.close();
    await rm(directory, { recursive: true });
  });
  const { port } = server.address() as AddressInfo; // It listens on a port.
  return { port: String(port), caFile };
};

it.each([
  ["Bun, which has BoringSSL", "@oven/bun-linux-x64/bin/bun", "-e"],
  ["Deno, which has Rustls", "@deno/linux-x64-glibc/deno", "eval"],
])("lets %s verify the certificate of the database server", async (_runtime, program, word) => {
  const { port, caFile } = await startServer();
  for (const host of ["localhost", "127.0.0.1"]) {
    const { stdout } = await run(join(tools, program), [word, client, host, port, caFile]);
    expect(stdout).toBe("verified");
  }
});
