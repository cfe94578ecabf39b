import type { Middleware } from "@mgmt/sdk";

/** Counts the requests to the API, in the text format of Prometheus. */
export class Metrics {
  readonly #counts = new Map<string, number>();

  /** Counts every request that is sent, retries included. */
  readonly middleware: Middleware = async (request, next) => {
    let status = "none";
    try {
      const response = await next(request);
      status = String(response.status);
      return response;
    } finally {
      // The path has placeholders in place of ids, so the number of labels is limited.
      const labels = `method="${request.method}",path="${request.path}",status="${status}"`;
      this.#counts.set(labels, (this.#counts.get(labels) ?? 0) + 1);
    }
  };

  toString(): string {
    const lines = [...this.#counts].map(
      ([labels, count]) => `mgmt_requests_total{${labels}} ${String(count)}\n`,
    );
    return `# TYPE mgmt_requests_total counter\n${lines.join("")}`;
  }
}
