import type { PartialTables } from "../store/partial-tables.js";
import { type ServerRow, serverId } from "../request/server-rows.js";
import { VirtualClock } from "../time/clock.js";
import type { JobRunner } from "../time/job-runner.js";
import { type Time, readTime, requireSupported } from "./clock-control.js";
import { controlErrors } from "./control-error.js";
import type { SharedState } from "./shared-state.js";

/** Controls the clock that all servers of a store share. Moving it forward runs the jobs that fall due on the way. */
export class StoredClockControl {
  readonly #server: SharedState;
  readonly #runner: JobRunner;

  constructor(server: SharedState, runner: JobRunner) {
    this.#server = server;
    this.#runner = runner;
  }

  /** Returns the time in milliseconds since 1970. */
  async now(): Promise<number> {
    return (await this.#server.refresh()).clock.now();
  }

  get frozen(): Promise<boolean> {
    return this.#server.refresh().then(({ clock }) => clock.frozen);
  }

  /** Stops the clock until it is moved or started. */
  freeze(): Promise<void> {
    return this.#change((clock) => clock.freeze());
  }

  /** Starts the clock again from its current time. */
  run(): Promise<void> {
    return this.#change((clock) => clock.run());
  }

  /** Moves the clock forward by `milliseconds`, to the year 9000 at most. Resolves when all jobs that fell due are done. */
  async advance(milliseconds: number): Promise<void> {
    if (!(Number.isFinite(milliseconds) && milliseconds >= 0)) {
      throw controlErrors.invalidAdvance();
    }
    await this.#advanceTo(requireSupported((await this.now()) + milliseconds));
  }

  /** Moves the clock to a time between 1970 and 9000. The time may be in the past, but that does not undo jobs that have run. */
  async set(time: Time): Promise<void> {
    const target = readTime(time);
    if (target >= (await this.now())) await this.#advanceTo(target);
    else await this.#change((clock) => clock.moveTo(target));
  }

  async #advanceTo(time: number): Promise<void> {
    const moveForward = (clock: VirtualClock, target: number): void => {
      if (target > clock.now()) clock.moveTo(target);
    };
    await this.#runner.advance(time, (dueAt, tables) =>
      changeClock(tables, (clock) => moveForward(clock, dueAt)),
    );
    await this.#change((clock) => moveForward(clock, time));
  }

  async #change(change: (clock: VirtualClock) => void): Promise<void> {
    await this.#server.run({ mode: "write", locks: ["clock"] }, ({ tables }) => changeClock(tables, change));
    await this.#server.refresh();
    this.#runner.look();
  }
}

const changeClock = (tables: PartialTables, change: (clock: VirtualClock) => void): void => {
  const server = tables.table<ServerRow, Readonly<Record<string, never>>>("server");
  const row = server.get(serverId);
  if (row === undefined) return;
  const clock = new VirtualClock(row.clock);
  change(clock);
  if (JSON.stringify(clock.state) !== JSON.stringify(row.clock))
    server.update(serverId, { clock: clock.state });
};
