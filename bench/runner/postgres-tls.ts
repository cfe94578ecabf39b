import { appendFile, chown, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** Lets the Postgres of a running `mgmt dev` offer TLS itself, with the certificate of its proxy. */
export const offerTls = async (dataDirectory: string): Promise<void> => {
  const cluster = join(dataDirectory, "postgres");
  const { uid, gid } = await stat(cluster);
  for (const [from, to] of [
    ["server-key.pem", "server.key"],
    ["server.pem", "server.crt"],
  ] as const) {
    await writeFile(join(cluster, to), await readFile(join(dataDirectory, "tls", from)), { mode: 0o600 });
    await chown(join(cluster, to), uid, gid);
  }
  await appendFile(join(cluster, "postgresql.conf"), "\nssl = on\n");
  const [pid] = (await readFile(join(cluster, "postmaster.pid"), "utf8")).split("\n");
  process.kill(Number(pid), "SIGHUP");
};
