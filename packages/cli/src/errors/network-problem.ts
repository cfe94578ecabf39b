import { capitalize } from "@mgmt/internal/text/capitalize";
import type { TLSSocket } from "node:tls";

/** Why a host could not be reached, and the remedy. */
export interface NetworkProblem {
  readonly code: string;
  readonly message: string;
  readonly hint: string;
}

const baseUrlPhrase = "the base URL (MGMT_BASE_URL, --base-url)";

const trustHint =
  "If you trust it, set NODE_EXTRA_CA_CERTS to a file with the certificate of its authority in PEM format. " +
  "A company's proxy that inspects TLS has such an authority, too.";

/** The problem of a certificate, by the codes of OpenSSL and Node.js. */
const untrustedReasons: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: "it is self-signed",
  SELF_SIGNED_CERT_IN_CHAIN: "its authority is not known to this machine",
  UNABLE_TO_GET_ISSUER_CERT: "its authority is not known to this machine",
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: "its authority is not known to this machine",
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: "its authority is not known, or the server does not send the whole chain",
};

/**
 * Describes a failure of TLS, DNS, a proxy, or the loopback interface. Returns undefined for other failures.
 *
 * @param host the host that was to be reached.
 */
export const describeNetworkProblem = (error: unknown, host: string): NetworkProblem | undefined => {
  const causes = collectCauses(error);
  const proxyError = causes.find(isProxyError);
  if (proxyError) return describeProxyProblem(proxyError);
  const cause = causes.findLast((error) => typeof error.code === "string");
  if (cause === undefined) return undefined;
  const code = String(cause.code);
  return (
    describeCertificateProblem(cause, host) ??
    describeDnsProblem(code, host) ??
    describeLoopbackProblem(code, host)
  );
};

type ErrorWithCode = Error & { readonly code?: unknown };

/** Returns an error and its causes, the innermost last. */
const collectCauses = (error: unknown): ErrorWithCode[] =>
  error instanceof Error ? [error, ...collectCauses(error.cause)] : [];

type ProxyError = ErrorWithCode & { readonly proxy: string; readonly status: number | undefined };

/**
 * Returns whether an error is a `ProxyError` of the SDK. Compares names, because the class belongs to a module that is loaded only to send
 * requests.
 */
const isProxyError = (error: ErrorWithCode): error is ProxyError =>
  error.name === "ProxyError" && "proxy" in error;

const describeProxyProblem = ({ proxy, status, message, cause }: ProxyError): NetworkProblem => {
  const variables = "HTTPS_PROXY, HTTP_PROXY or ALL_PROXY";
  if (status === 407) {
    return {
      code: "proxy:authentication_required",
      message: `The proxy ${proxy} did not accept the user name and password in ${variables}, or found none there (status 407)`,
      hint: `Put them into ${variables}: http://USER:PASSWORD@HOST:PORT, with special characters percent-encoded.`,
    };
  }
  if (status !== undefined) {
    return {
      code: "proxy:refused",
      message: `The proxy ${proxy} refused the connection (status ${String(status)})`,
      hint: "Ask who operates the proxy to allow this host. If it can be reached directly, add the host to NO_PROXY.",
    };
  }
  const { host } = new URL(proxy);
  const proxyHostProblem = describeNetworkProblem(cause, host);
  return {
    code: "proxy:unreachable",
    message: proxyHostProblem ? `${proxyHostProblem.message}. ${host} is the proxy` : capitalize(message),
    hint: `Correct ${variables}, or unset it. If the service can be reached directly, add its host to NO_PROXY.`,
  };
};

const describeCertificateProblem = (cause: ErrorWithCode, host: string): NetworkProblem | undefined => {
  const code = String(cause.code);
  const problem = untrustedReasons[code];
  if (problem !== undefined) {
    return {
      code: "tls:untrusted_certificate",
      message: `The certificate of ${host} is not trusted: ${problem} (${code})`,
      hint: trustHint,
    };
  }
  if (code === "CERT_HAS_EXPIRED" || code === "CERT_NOT_YET_VALID") {
    return {
      code: "tls:expired_certificate",
      message: `The certificate of ${host} ${code === "CERT_HAS_EXPIRED" ? "has expired" : "is not valid yet"} (${code})`,
      hint: "Check the clock of this machine. If it is right, the operator of the service must renew the certificate.",
    };
  }
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID") {
    const names = readCertificateNames(cause);
    return {
      code: "tls:wrong_host",
      message: `The certificate of ${host} is for ${names.length > 0 ? names.join(", ") : "another host"} (${code})`,
      hint: `Use the host name of the certificate in ${baseUrlPhrase}.`,
    };
  }
  if (/CERT/.test(code)) {
    return {
      code: "tls:untrusted_certificate",
      message: `The certificate of ${host} is not accepted (${code})`,
      hint: trustHint,
    };
  }
  if (code === "EPROTO" || code.startsWith("ERR_SSL_")) {
    return {
      code: "tls:failed",
      message: `${host} does not accept a TLS connection (${code})`,
      hint: `Check the port in ${baseUrlPhrase}, and whether the service is at an http:// URL.`,
    };
  }
  return undefined;
};

const readCertificateNames = (cause: ErrorWithCode): string[] => {
  const { cert } = cause as { readonly cert?: ReturnType<TLSSocket["getPeerCertificate"]> };
  return (cert?.subjectaltname ?? "")
    .split(", ")
    .flatMap((name) => /^(?:DNS|IP Address):(.+)$/.exec(name)?.[1] ?? []);
};

const describeDnsProblem = (code: string, host: string): NetworkProblem | undefined => {
  if (code === "ENOTFOUND") {
    return {
      code: "dns:not_found",
      message: `The host ${host} does not exist, or is not known in this network (ENOTFOUND)`,
      hint: `Check its spelling in ${baseUrlPhrase}, and that this machine is in the right network or VPN.`,
    };
  }
  if (code === "EAI_AGAIN") {
    return {
      code: "dns:unavailable",
      message: `The address of ${host} could not be looked up, because the name server did not respond (EAI_AGAIN)`,
      hint: "Check that this machine is connected to the network, and try again.",
    };
  }
  return undefined;
};

/** Describes why an address of this machine cannot be reached: its network interface is down, or has only IPv6. */
const describeLoopbackProblem = (code: string, host: string): NetworkProblem | undefined =>
  /^(?:ENETUNREACH|EADDRNOTAVAIL)$/.test(code) && /^(?:localhost|127(?:\.\d+){3}|\[?::1\]?)$/.test(host)
    ? {
        code: "network:no_loopback",
        message: `This machine cannot reach itself at ${host}, because no network interface that is up has this address (${code})`,
        hint: "Turn the loopback interface on. On Linux: ip link set lo up, and ip address add 127.0.0.1/8 dev lo.",
      }
    : undefined;
