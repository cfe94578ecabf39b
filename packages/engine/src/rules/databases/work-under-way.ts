import type { World } from "../../request/world.js";
import { KeyedMutex } from "../../time/keyed-mutex.js";

/**
 * Orders what takes time. Work on a real database is done one piece at a time for each database, in the order in which
 * it was asked for, so that the last word of two rotations is the same in the store and in the database.
 */
export class WorkUnderWay {
  readonly #mutex = new KeyedMutex();
  readonly #filling = new Set<string>();
  readonly #removing = new Set<string>();
  readonly #projects = new Set<string>();

  /** Runs the work when no other work holds any of these databases. */
  inTurn<T>(databaseIds: readonly string[], work: () => Promise<T>): Promise<T> {
    return this.#mutex.run(databaseIds, work);
  }

  /** Marks the database while `work` makes or overwrites its data: such work is cut short by a drop. */
  async filling(databaseId: string, work: () => Promise<void>): Promise<void> {
    this.#filling.add(databaseId);
    try {
      await work();
    } finally {
      this.#filling.delete(databaseId);
    }
  }

  isFilling(databaseId: string): boolean {
    return this.#filling.has(databaseId);
  }

  /** Marks the database while `work` removes it: what has not begun to fill it shall not begin. */
  async removing(databaseId: string, work: () => Promise<void>): Promise<void> {
    this.#removing.add(databaseId);
    try {
      await work();
    } finally {
      this.#removing.delete(databaseId);
    }
  }

  isRemoving(databaseId: string): boolean {
    return this.#removing.has(databaseId);
  }

  /** Marks the project while `work` deletes it: nothing may be added to it meanwhile. */
  async deletingProject<T>(projectId: string, work: () => Promise<T>): Promise<T> {
    this.#projects.add(projectId);
    try {
      return await work();
    } finally {
      this.#projects.delete(projectId);
    }
  }

  isDeletingProject(projectId: string): boolean {
    return this.#projects.has(projectId);
  }
}

const works = new WeakMap<World, WorkUnderWay>();

export const workUnderWay = (world: World): WorkUnderWay => {
  const known = works.get(world);
  if (known) return known;
  const work = new WorkUnderWay();
  works.set(world, work);
  return work;
};
