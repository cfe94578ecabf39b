import { accessSync, constants } from "node:fs";
import { connect, type PeerCertificate, type TLSSocket } from "node:tls";
import { proxyFor } from "@mgmt/sdk/node";
import type { Context } from "../../input/context.js";
import { causeText } from "../../errors/cli-error.js";
import { networkProblem } from "../../errors/network-problem.js";
import { redactUrl } from "../../sdk/redaction.js";
import { type Check, failed, failure, ok, skipped, warning } from "./check.js";

const timeoutMs = 10_000;
const dayMs = 24 * 3_600_000;

/** Checks the way to a service: its proxy, and for `https:` its certificate. */
export const connectionChecks = async (baseUrl: string, context: Context): Promise<Check[]> => {
  try {
    const proxy = await proxyFor(baseUrl);
    const message = proxy === "" ? "Connections are direct" : `Connections go through ${redactUrl(proxy)}`;
    return [ok("proxy", message), await tlsCheck(baseUrl, proxy !== "", context)];
  } catch (error) {
    return [await failed("proxy", error)];
  }
};

const tlsCheck = async (
  baseUrl: string,
  usesProxy: boolean,
  { env, signal }: Pick<Context, "env" | "signal">,
): Promise<Check> => {
  const { protocol, hostname, port } = new URL(baseUrl);
  if (protocol !== "https:") return skipped("tls", "The service does not use TLS");
  const extra = env["NODE_EXTRA_CA_CERTS"];
  if (extra && !isReadable(extra)) {
    const hint = "Set NODE_EXTRA_CA_CERTS to a file in PEM format that you can read.";
    return failure("tls", `The file of NODE_EXTRA_CA_CERTS cannot be read: ${extra}`, { hint });
  }
  if (usesProxy) return skipped("tls", "The certificate is verified through the proxy with every request");
  try {
    return describe(await certificateOf(hostname, Number(port) || 443, signal));
  } catch (error) {
    signal.throwIfAborted();
    const { message = `The TLS connection to ${hostname} failed (${causeText(error)})`, hint } =
      networkProblem(error, hostname) ?? {};
    return failure("tls", message, hint === undefined ? {} : { hint });
  }
};

const isReadable = (file: string): boolean => {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
};

interface Secured {
  readonly protocol: string | null;
  readonly certificate: PeerCertificate;
}

const certificateOf = (hostname: string, port: number, signal: AbortSignal): Promise<Secured> =>
  new Promise((resolve, reject) => {
    const host = hostname.replace(/^\[|\]$/g, "");
    // An address cannot be a server name.
    const servername = /^[\d.]+$|:/.test(host) ? {} : { servername: host };
    const socket: TLSSocket = connect({ host, port, ...servername }, () => {
      resolve({ protocol: socket.getProtocol(), certificate: socket.getPeerCertificate() });
      socket.destroy();
    });
    socket.setTimeout(timeoutMs, () => socket.destroy(new Error("no response in time")));
    socket.on("error", reject);
    signal.addEventListener("abort", () => socket.destroy(new Error("interrupted")), { once: true });
  });

const describe = ({ protocol, certificate }: Secured): Check => {
  const expiry = Date.parse(certificate.valid_to);
  const { O: organization, CN: commonName } = certificate.issuer;
  const issuer = [organization ?? commonName].flat().join(", ");
  const message = `${protocol ?? "TLS"}, certificate from ${issuer}, valid until ${new Date(expiry).toISOString()}`;
  if (expiry - Date.now() > 14 * dayMs) return ok("tls", message);
  return warning("tls", message, { hint: "It expires soon. The operator of the service must renew it." });
};
