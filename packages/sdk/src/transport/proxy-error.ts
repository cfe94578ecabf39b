import { describeInnermostCause } from "../errors/local-errors.js";

/** The proxy between this process and the service is the problem: it cannot be reached, or refuses the connection. */
export class ProxyError extends Error {
  override readonly name = "ProxyError";
  /** `PROXY_REFUSED` if the proxy responded, else the code of the failed connection. */
  readonly code: string;
  /** URL of the proxy, without its user name and password: `http://proxy.example.com:3128`. */
  readonly proxy: string;
  /** HTTP status of its response; undefined if it could not be reached. */
  readonly status: number | undefined;

  /** @param problem the status of the proxy's response, or the error of the connection to it. */
  constructor(proxy: string, problem: number | Error) {
    const { origin } = new URL(proxy);
    if (typeof problem === "number") {
      super(`the proxy ${origin} refused the connection with status ${problem}`);
      this.code = "PROXY_REFUSED";
    } else {
      const reason = describeInnermostCause(problem);
      super(`the proxy ${origin} cannot be reached (${reason})`, { cause: problem });
      this.code = reason;
    }
    this.proxy = origin;
    this.status = typeof problem === "number" ? problem : undefined;
  }
}
