import type { ConnectionError } from "../errors/local-errors.js";

// Apart from the other rules of retries, which programs load on demand.

/** Returns whether no connection was made, so that the service did not receive the request. */
export const isUnsent = (error: ConnectionError): boolean =>
  /^(E?CONN(ECTION)?_?REFUSED|ENOTFOUND|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_CONNECT_TIMEOUT|PROXY_REFUSED)$/i.test(
    error.reason,
  ) || isCertificateRejected(error);

/** Returns whether the certificate of the service is not accepted. The next attempt would get the same one. */
export const isCertificateRejected = ({ reason }: ConnectionError): boolean =>
  /CERT|UNABLE_TO_VERIFY_LEAF/.test(reason);
