import { accessSync, constants } from "node:fs";
import { addAbortSignal } from "node:stream";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { proxyFor } from "@mgmt/sdk/node";
import type { Context } from "../../input/context.js";
import { describeCause } from "../../errors/cli-error.js";
import { describeNetworkProblem } from "../../errors/network-problem.js";
import { redactUrl } from "@mgmt/internal/redaction/redact";
import {
  type Check,
  createErrorCheck,
  createFailureCheck,
  createOkCheck,
  createSkippedCheck,
  createWarningCheck,
} from "./check.js";

const tlsTimeoutMs = 10_000;
const dayMs = 24 * 3_600_000;

/** Checks the way to a service: its proxy, and for `https:` its certificate. */
export const checkConnection = async (baseUrl: string, context: Context): Promise<Check[]> => {
  let proxy: string;
  try {
    proxy = await proxyFor(baseUrl);
  } catch (error) {
    return [await createErrorCheck("proxy", error)];
  }
  const message = proxy === "" ? "Connections are direct" : `Connections go through ${redactUrl(proxy)}`;
  return [createOkCheck("proxy", message), await checkTls(baseUrl, proxy !== "", context)];
};

const checkTls = async (
  baseUrl: string,
  usesProxy: boolean,
  { env, signal }: Pick<Context, "env" | "signal">,
): Promise<Check> => {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "https:") return createSkippedCheck("tls", "The service does not use TLS");
  const extraCaFile = env["NODE_EXTRA_CA_CERTS"];
  if (extraCaFile && !isReadable(extraCaFile)) {
    const hint = "Set NODE_EXTRA_CA_CERTS to a file in PEM format that you can read.";
    return createFailureCheck("tls", `The file of NODE_EXTRA_CA_CERTS cannot be read: ${extraCaFile}`, {
      hint,
    });
  }
  if (usesProxy)
    return createSkippedCheck("tls", "The certificate is verified through the proxy with every request");
  try {
    return checkCertificate(await connectTls(hostname, Number(port) || 443, signal));
  } catch (error) {
    signal.throwIfAborted();
    const { message = `The TLS connection to ${hostname} failed (${describeCause(error)})`, hint } =
      describeNetworkProblem(error, hostname) ?? {};
    return createFailureCheck("tls", message, hint === undefined ? {} : { hint });
  }
};

const isReadable = (path: string): boolean => {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

interface TlsConnection {
  readonly protocol: string | null;
  readonly certificate: PeerCertificate;
}

const connectTls = (hostname: string, port: number, signal: AbortSignal): Promise<TlsConnection> =>
  new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    // An address cannot be a server name.
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const socket: TLSSocket = connect({ host, port, ...servername }, () => {
      resolve({ protocol: socket.getProtocol(), certificate: socket.getPeerCertificate() });
      socket.destroy();
    });
    socket.setTimeout(tlsTimeoutMs, () => socket.destroy(new Error("no response in time")));
    socket.on("error", reject);
    addAbortSignal(signal, socket);
  });

const checkCertificate = ({ protocol, certificate }: TlsConnection): Check => {
  const expiryMs = Date.parse(certificate.valid_to);
  const { O: organization, CN: commonName } = certificate.issuer;
  const issuer = [organization ?? commonName].flat().join(", ");
  const message = `${protocol ?? "TLS"}, certificate from ${issuer}, valid until ${new Date(expiryMs).toISOString()}`;
  if (expiryMs - Date.now() > 14 * dayMs) return createOkCheck("tls", message);
  return createWarningCheck("tls", message, {
    hint: "It expires soon. The operator of the service must renew it.",
  });
};
