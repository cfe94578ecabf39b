import { writeFile } from "node:fs/promises";
import {
  type EngineOptions,
  type EngineRequest,
  type EngineResponse,
  MemoryServer,
  type Snapshot,
} from "@mgmt/engine";
import * as mockErrors from "../errors/mock-errors.js";
import { type ActiveRecording, type RecordOptions, Recordings } from "../record/recordings.js";
import type { ReplayArguments } from "./arguments.js";

/** The result of a replay, in numbers. */
export interface ReplaySummary {
  /** Requests that were compared. */
  readonly compared: number;
  /** Requests that could not be repeated. */
  readonly skipped: number;
  readonly differences: number;
}

/** The engine of the command: delays every response if a flag sets a delay, and keeps the resources of a recording after a reset. */
export class CommandServer extends MemoryServer {
  readonly #recordings: Recordings;
  #resetSnapshot: Snapshot | undefined;
  #replaySummary: ReplaySummary | undefined;

  constructor(options: EngineOptions, latency: number) {
    super(options);
    this.#recordings = new Recordings(latency);
  }

  /** It is undefined if no recording was replayed. */
  get replaySummary(): ReplaySummary | undefined {
    return this.#replaySummary;
  }

  /** Passes requests on to a real service. Throws what `record` of a mock throws. */
  record(options: RecordOptions): Promise<ActiveRecording> {
    return this.#recordings.record(options);
  }

  /**
   * Replays a recording, and starts with its resources.
   *
   * @throws MockError `mock:bad_recording`, or `mock:bad_flag` if the report cannot be written.
   */
  async startWithRecording({ file, report: path, latency }: ReplayArguments): Promise<void> {
    const report = await this.#recordings.replay(this, file, { latency });
    const addCounts = (numbers: readonly number[]): number =>
      numbers.reduce((left, right) => left + right, 0);
    this.#replaySummary = {
      compared: addCounts(report.map(({ compared }) => compared)),
      skipped: addCounts(report.map(({ skipped }) => skipped.length)),
      differences: addCounts(report.map(({ differences }) => differences.length)),
    };
    this.#resetSnapshot = this.snapshot();
    if (path === undefined) return;
    await writeFile(path, `${JSON.stringify(report, undefined, 2)}\n`).catch(() => {
      throw mockErrors.badFlag(`--report: ${path} cannot be written`);
    });
  }

  override async reset(): Promise<void> {
    await super.reset();
    if (this.#resetSnapshot) await this.load(this.#resetSnapshot);
  }

  override handle(request: EngineRequest): EngineResponse | Promise<EngineResponse> {
    return this.#recordings.handle(request, (request) => super.handle(request));
  }

  override bodyPolicy(method: string, path: string): { limit: number; discarded: boolean } {
    return this.#recordings.bodyPolicy() ?? super.bodyPolicy(method, path);
  }
}
