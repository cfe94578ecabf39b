import type { CallMode, ModeResult } from "../values/awaitable.js";
import {
  type Fault,
  FaultNotStruckError,
  type FaultTarget,
  type InstalledFault,
  assertFault,
  isExhausted,
  strikeFault,
} from "../context/fault.js";
import type { FaultRow, ServerRowStore, ServerRowTransaction } from "../context/server-rows.js";

/** Name of the lock that keeps two requests from striking the same fault. */
const strikeLockName = "faults";

/** Installs faults. They are rows of the server, so they apply to the requests of all processes that use the same rows. */
export class Faults<Mode extends CallMode> {
  /** @internal */
  constructor(private readonly rowStore: ServerRowStore<Mode>) {}

  /** @internal */
  get hasFaults(): boolean {
    return this.rowStore.hasFaults();
  }

  /**
   * Installs a fault.
   *
   * @throws TypeError when a field is not valid.
   */
  add(fault: Fault): ModeResult<Mode, InstalledFault> {
    return this.rowStore.change(strikeLockName, ({ controlSettings, faults, now, changeControlSettings }) => {
      // Checked inside of `change`, so that a server that returns promises rejects instead of throwing.
      assertFault(fault);
      const id = `fault-${String(controlSettings.nextFault)}`;
      changeControlSettings({ hasFaults: true, nextFault: controlSettings.nextFault + 1 });
      return toInstalledFault(
        faults.insert({ id, createdAt: now, fault: { ...fault }, struck: 0, skipped: 0 }),
      );
    });
  }

  /** Returns the installed faults, oldest first. */
  list(): ModeResult<Mode, InstalledFault[]> {
    return this.rowStore.read(({ faults }) => faults.list({}).map(toInstalledFault));
  }

  /** Removes a fault. Returns false when it is not installed. */
  remove(id: string): ModeResult<Mode, boolean> {
    return this.rowStore.change(strikeLockName, (transaction) => {
      const isInstalled = transaction.faults.get(id) !== undefined;
      removeFault(id, transaction);
      return isInstalled;
    });
  }

  /** Removes all faults. */
  clear(): ModeResult<Mode, void> {
    return this.rowStore.change(strikeLockName, ({ faults, changeControlSettings }) => {
      for (const { id } of faults.list({})) faults.delete(id);
      changeControlSettings({ hasFaults: false });
    });
  }

  /**
   * Checks that each installed fault has applied to a request. Call it at the end of a test, or in `afterEach` before `reset`.
   *
   * @throws FaultNotStruckError `fault:not_struck` that lists those that have not.
   */
  assertStruck(): ModeResult<Mode, void> {
    return this.rowStore.read(({ faults }) => {
      const unstruckFaults = faults
        .list({})
        .map(toInstalledFault)
        .filter(({ struck }) => struck === 0);
      if (unstruckFaults.length > 0) throw new FaultNotStruckError(unstruckFaults);
    });
  }

  /**
   * Returns the fault that applies to a request for this target, if any, and counts the request.
   *
   * @internal
   */
  strike(target: FaultTarget): ModeResult<Mode, Fault | undefined> {
    return this.rowStore.change(strikeLockName, (transaction) => {
      const { faults, random } = transaction;
      for (const row of faults.list({})) {
        const counts = { struck: row.struck, skipped: row.skipped };
        const isStruck = strikeFault(row.fault, counts, target, random);
        if (isStruck && isExhausted(row.fault, counts)) removeFault(row.id, transaction);
        else if (isStruck || counts.skipped !== row.skipped) faults.update(row.id, counts);
        if (isStruck) return row.fault;
      }
      return undefined;
    });
  }
}

const removeFault = (id: string, { faults, changeControlSettings }: ServerRowTransaction): void => {
  faults.delete(id);
  if (faults.list({}).length === 0) changeControlSettings({ hasFaults: false });
};

const toInstalledFault = ({ id, fault, struck }: FaultRow): InstalledFault => ({ ...fault, id, struck });
