import { writeFile } from "node:fs/promises";
import type { EngineOptions, EngineRequest, Snapshot } from "@mgmt/engine";
import * as mockErrors from "../errors/mock-errors.js";
import { RecordableServer } from "../record/recordable-server.js";
import type { ReplayArguments } from "./arguments.js";

/** The result of a replay, in numbers. */
export interface ReplaySummary {
  /** Requests that were compared. */
  readonly compared: number;
  /** Requests that could not be repeated. */
  readonly skipped: number;
  readonly differences: number;
}

/** The engine of the command: delays every response if a flag says so, and keeps the resources of a recording after a reset. */
export class CommandServer extends RecordableServer {
  readonly #latency: number;
  #afterReset: Snapshot | undefined;
  #replayed: ReplaySummary | undefined;

  constructor(options: EngineOptions, latency: number) {
    super(options);
    this.#latency = latency;
  }

  /** Undefined if no recording was replayed. */
  get replayed(): ReplaySummary | undefined {
    return this.#replayed;
  }

  /**
   * Replays a recording, and starts with its resources.
   *
   * @throws MockError `mock:bad_recording`, or `mock:bad_flag` if the report cannot be written.
   */
  async startWithRecording({ file, report: path, latency }: ReplayArguments): Promise<void> {
    const report = await this.replay(file, { latency });
    const sum = (numbers: readonly number[]): number => numbers.reduce((one, other) => one + other, 0);
    this.#replayed = {
      compared: sum(report.map(({ compared }) => compared)),
      skipped: sum(report.map(({ skipped }) => skipped.length)),
      differences: sum(report.map(({ differences }) => differences.length)),
    };
    this.#afterReset = this.snapshot();
    if (path === undefined) return;
    await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`).catch(() => {
      throw mockErrors.badFlag(`--report: ${path} cannot be written`);
    });
  }

  override async reset(): Promise<void> {
    await super.reset();
    if (this.#afterReset) await this.load(this.#afterReset);
  }

  protected override latencyOf(request: EngineRequest): number {
    return this.#latency > 0 ? this.#latency : super.latencyOf(request);
  }
}
