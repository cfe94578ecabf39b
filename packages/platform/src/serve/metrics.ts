import type { RecordCounts } from "@mgmt/cluster/rows/count-rows";
import { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from "prom-client";

/** The metrics of one server, in the format of Prometheus. */
export class ServiceMetrics {
  readonly #registry = new Registry();
  readonly #requests = new Counter({
    name: "mgmt_requests_total",
    help: "Requests by operation and status",
    labelNames: ["operation", "status"] as const,
    registers: [this.#registry],
  });
  readonly #durations = new Histogram({
    name: "mgmt_request_duration_seconds",
    help: "Time from a request to its response, by operation",
    labelNames: ["operation"] as const,
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers: [this.#registry],
  });

  readonly #databases = this.#createGauge("mgmt_databases", "Databases by status", ["status"]);
  readonly #jobs = this.#createGauge("mgmt_jobs", "Jobs by state", ["state"]);
  readonly #jobLag = this.#createGauge(
    "mgmt_job_lag_seconds",
    "How long the oldest job that is due has waited",
  );
  readonly #connections = this.#createGauge(
    "mgmt_records_connections",
    "Connections of this server to the records",
    ["state"],
  );
  readonly #trips = this.#createGauge(
    "mgmt_records_trips",
    "Round trips of this server to the records since it started",
  );
  readonly #closedDatabases = this.#createGauge(
    "mgmt_guard_closed_databases",
    "Databases that are closed because their workspace uses too much",
  );
  readonly #recordsUp = this.#createGauge("mgmt_records_up", "Whether the records answered this scrape");

  constructor() {
    collectDefaultMetrics({ register: this.#registry });
  }

  /** @param status null when the connection was cut. */
  countRequest(operation: string, status: number | null, seconds: number): void {
    this.#requests.inc({ operation, status: String(status ?? "cut") });
    this.#durations.observe({ operation }, seconds);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /**
   * @param counts undefined when the records cannot be reached.
   * @param closedDatabases how many databases the guard keeps closed.
   */
  render(counts: RecordCounts | undefined, closedDatabases: number): Promise<string> {
    for (const gauge of [this.#databases, this.#jobs, this.#connections]) gauge.reset();
    this.#recordsUp.set(counts === undefined ? 0 : 1);
    for (const [status, count] of Object.entries(counts?.databases ?? {}))
      this.#databases.set({ status }, count);
    for (const [state, count] of Object.entries(counts?.jobs ?? {})) this.#jobs.set({ state }, count);
    for (const [state, count] of Object.entries(counts?.recordsConnections ?? {}))
      this.#connections.set({ state }, count);
    this.#jobLag.set(counts?.jobLagSeconds ?? 0);
    this.#trips.set(counts?.recordsTrips ?? 0);
    this.#closedDatabases.set(closedDatabases);
    return this.#registry.metrics();
  }

  #createGauge(name: string, help: string, labelNames: string[] = []): Gauge {
    return new Gauge({ name, help, labelNames, registers: [this.#registry] });
  }
}
