import { readFile } from "node:fs/promises";
import type { ConnectionOptions } from "node:tls";
import type { DatabaseAddress } from "@mgmt/cluster/policy/address";
import {
  ConnectionStringError,
  parseConnectionString,
} from "@mgmt/internal/postgres/parse-connection-string";
import { serveErrors } from "../errors/serve-error.js";

const sslModes = ["disable", "require", "verify-ca", "verify-full"] as const;
type SslMode = (typeof sslModes)[number];

/** Parameters of connection strings that the service understands. */
const knownParameters: ReadonlySet<string> = new Set([
  ...["host", "port", "user", "password", "dbname", "sslmode", "sslrootcert", "sslnegotiation"],
  ...["application_name", "connect_timeout", "target_session_attrs", "channel_binding"],
]);

/**
 * Reads the connection string of a setting. Without `sslmode`, connections to this machine are not encrypted, and all others verify the
 * server as with `verify-full`. See https://www.postgresql.org/docs/current/libpq-ssl.html.
 *
 * @throws ServeError `serve:config_invalid`, whose message contains no part of the string.
 */
export const parsePostgresUrl = async (setting: string, url: string): Promise<DatabaseAddress> => {
  const reject = (problem: string): never => {
    throw serveErrors.configInvalid(setting, [problem]);
  };
  const parameters = parseParameters(url, reject);
  const unknownNames = [...parameters.keys()].filter((name) => !knownParameters.has(name));
  if (unknownNames.length > 0)
    // The message does not contain the names, which may be parts of a password that is not percent-encoded.
    reject(
      `the connection string has ${String(unknownNames.length)} parameters that the service does not know`,
    );
  const host = parameters.get("host") ?? "";
  if (host === "") reject("the connection string has no host");
  if (host.includes(","))
    reject("the connection string has several hosts; use an address that leads to the primary");
  const port = Number(parameters.get("port") ?? "5432");
  if (!(port > 0 && port < 65_536)) reject("the port of the connection string must be from 1 to 65535");
  const user = parameters.get("user") ?? "";
  if (user === "") reject("the connection string has no user");
  const isLocal = host.startsWith("/") || ["localhost", "127.0.0.1", "::1"].includes(host);
  const sslMode = parseSslMode(parameters.get("sslmode") ?? (isLocal ? "disable" : "verify-full"), reject);
  const rootCertificatePath = parameters.get("sslrootcert");
  const tls = await buildTls(sslMode, rootCertificatePath, reject);
  return {
    ...{ host, port, user },
    password: parameters.get("password") ?? "",
    database: parameters.get("dbname") ?? user,
    ...(tls && { tls }),
  };
};

const parseParameters = (url: string, reject: (problem: string) => never): ReadonlyMap<string, string> => {
  try {
    return parseConnectionString(url);
  } catch (error) {
    if (!(error instanceof ConnectionStringError)) throw error;
    return reject(`the connection string is not valid: ${error.message}`);
  }
};

const parseSslMode = (text: string, reject: (problem: string) => never): SslMode =>
  sslModes.find((mode) => mode === text) ?? reject(`sslmode must be one of ${sslModes.join(", ")}`);

const buildTls = async (
  mode: SslMode,
  rootCertificatePath: string | undefined,
  reject: (problem: string) => never,
): Promise<ConnectionOptions | undefined> => {
  if (mode === "disable") return undefined;
  if (mode === "require" && rootCertificatePath === undefined) return { rejectUnauthorized: false };
  const ca =
    rootCertificatePath === undefined || rootCertificatePath === "system"
      ? undefined
      : await readFile(rootCertificatePath, "utf8").catch(() =>
          reject("the file of sslrootcert cannot be read"),
        );
  return {
    ...(ca !== undefined && { ca }),
    // The chain is verified, but not the name of the host.
    ...(mode !== "verify-full" && { checkServerIdentity: () => undefined }),
  };
};
