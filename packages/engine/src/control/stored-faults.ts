import {
  type Fault,
  type FaultSource,
  type FaultTarget,
  type InstalledFault,
  assertFault,
  isExhausted,
  strikes,
} from "../request/faults.js";
import { RandomIds } from "../request/random-ids.js";
import type { PartialCollection } from "../store/partial-collection.js";
import type { PartialTables } from "../store/partial-tables.js";
import {
  type FaultRow,
  type GeneratorRow,
  type ServerRow,
  generatorId,
  serverId,
} from "../request/server-rows.js";
import type { SharedState } from "./shared-state.js";
import { readOnly } from "../store/backing.js";

type Everything = Readonly<Record<string, never>>;

const faultsIn = (tables: PartialTables): PartialCollection<FaultRow, Everything> => tables.table("faults");

/** Stores the faults as rows, which apply to the requests of all processes. */
export class StoredFaults implements FaultSource {
  readonly #server: SharedState;
  readonly #random = new RandomIds(null);

  constructor(server: SharedState) {
    this.#server = server;
  }

  get any(): boolean {
    return this.#server.state.row.hasFaults;
  }

  /** @throws TypeError when a field is not valid. */
  async add(fault: Fault): Promise<InstalledFault> {
    assertFault(fault);
    const installed = await this.#change((tables, row, now) => {
      const id = `fault-${String(row.nextFault)}`;
      serverIn(tables).update(serverId, { hasFaults: true, nextFault: row.nextFault + 1 });
      return shown(faultsIn(tables).insert({ id, createdAt: now, fault, struck: 0, skipped: 0 }));
    });
    await this.#server.refresh();
    return installed;
  }

  async list(): Promise<InstalledFault[]> {
    return this.#server.run(readOnly, ({ tables }) => faultsIn(tables).list({}).map(shown));
  }

  /** Removes a fault. Returns false when it is not installed. */
  async remove(id: string): Promise<boolean> {
    return this.#change((tables) => {
      const isInstalled = faultsIn(tables).get(id) !== undefined;
      faultsIn(tables).delete(id);
      return isInstalled;
    });
  }

  async clear(): Promise<void> {
    await this.#change((tables) => {
      for (const { id } of faultsIn(tables).list({})) faultsIn(tables).delete(id);
      serverIn(tables).update(serverId, { hasFaults: false });
    });
    await this.#server.refresh();
  }

  async strike(target: FaultTarget): Promise<Fault | undefined> {
    return this.#change((tables) => {
      const draw = this.#drawIn(tables);
      for (const row of faultsIn(tables).list({})) {
        const counts = { struck: row.struck, skipped: row.skipped };
        const isStruck = strikes(row.fault, counts, target, draw);
        if (isStruck && isExhausted(row.fault, counts)) faultsIn(tables).delete(row.id);
        else if (isStruck || counts.skipped !== row.skipped) faultsIn(tables).update(row.id, counts);
        if (isStruck) return row.fault;
      }
      return undefined;
    });
  }

  /** Returns a function that draws a number in [0, 1), reproducibly for a seeded server. */
  #drawIn(tables: PartialTables): () => number {
    const generators = tables.table<GeneratorRow, Everything>("server");
    return () => {
      const draws = generators.get(generatorId)?.draws ?? null;
      if (draws === null) return this.#random.fraction();
      const generator = new RandomIds(draws);
      const drawn = generator.fraction();
      generators.update(generatorId, { draws: generator.state });
      return drawn;
    };
  }

  /** The lock keeps two requests from striking the same fault. */
  #change<T>(step: (tables: PartialTables, row: ServerRow, now: number) => T): Promise<T> {
    return this.#server.run({ mode: "write", locks: ["faults"] }, ({ tables, row, world }) =>
      step(tables, row, world.clock.now()),
    );
  }
}

const serverIn = (tables: PartialTables): PartialCollection<ServerRow, Everything> => tables.table("server");

const shown = ({ id, fault, struck }: FaultRow): InstalledFault => ({ ...fault, id, struck });
