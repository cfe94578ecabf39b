import type { IncomingMessage, ServerResponse } from "node:http";
import type { ServiceMetrics } from "./metrics.js";
import type { RecordCounts } from "@mgmt/cluster/rows/count-rows";

/** How long the records may take to respond, in milliseconds. */
const readinessTimeoutMs = 2_000;

/** The data of the pages for operators. */
export interface AdminPageOptions {
  readonly metrics: ServiceMetrics;
  /** Returns why the server takes no requests; undefined when it does. */
  readonly getUnreadiness: () => string | undefined;
  readonly readCounts: () => Promise<RecordCounts>;
  /** Returns how many databases the guard keeps closed. */
  readonly countClosed: () => number;
}

type Page = () => Promise<{ status: number; text: string; contentType?: string }>;

/** The pages that an operator's systems read: whether the process lives, whether it takes requests, and its metrics. */
export class AdminPages {
  readonly #pages: Readonly<Record<string, Page>>;

  constructor({ metrics, getUnreadiness, readCounts, countClosed }: AdminPageOptions) {
    const readCountsInTime = (): Promise<RecordCounts | undefined> =>
      Promise.race([
        readCounts().catch(() => undefined),
        new Promise<undefined>((resolve) => {
          setTimeout(() => resolve(undefined), readinessTimeoutMs).unref();
        }),
      ]);
    this.#pages = {
      "/healthz": () => Promise.resolve({ status: 200, text: "ok\n" }),
      "/readyz": async () => {
        const unreadiness = getUnreadiness();
        if (unreadiness !== undefined) return { status: 503, text: `${unreadiness}\n` };
        return (await readCountsInTime()) === undefined
          ? { status: 503, text: "the records cannot be reached\n" }
          : { status: 200, text: "ready\n" };
      },
      "/metrics": async () => ({
        status: 200,
        text: await metrics.render(await readCountsInTime(), countClosed()),
        contentType: metrics.contentType,
      }),
    };
  }

  /**
   * Responds if the request is for one of the pages.
   *
   * @param names the pages that the address has.
   */
  respond(request: IncomingMessage, response: ServerResponse, names: readonly string[]): boolean {
    const [path = ""] = (request.url ?? "").split("?", 1);
    const page = names.includes(path) ? this.#pages[path] : undefined;
    if (page === undefined) return false;
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { allow: "GET, HEAD" }).end();
      return true;
    }
    page().then(
      ({ status, text, contentType = "text/plain; charset=utf-8" }) => {
        response.writeHead(status, { "content-type": contentType, "cache-control": "no-store" });
        response.end(request.method === "HEAD" ? undefined : text);
      },
      () => response.writeHead(500).end(),
    );
    return true;
  }
}
