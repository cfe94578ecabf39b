import { readFile } from "node:fs/promises";
import { writeAtomically } from "./atomic-file.js";

/** Keeps a state that changes often: one write for all changes that were made while the last one was under way. */
export class StateFile {
  readonly #path: string;
  readonly #read: () => object;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #closed = false;

  /** `read` gives the state at the moment. */
  constructor(path: string, read: () => object) {
    this.#path = path;
    this.#read = read;
  }

  /** Resolves when the state as it is now, or a later one, is on the disk. */
  save(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#next ??= this.#writing.then(nothing, nothing).then(() => {
      this.#next = undefined;
      this.#writing = writeState(this.#path, this.#read());
      return this.#writing;
    });
    return this.#next;
  }

  /** Saves once more; from then on the file stays as it is. */
  async close(): Promise<void> {
    const saved = this.save();
    this.#closed = true;
    await saved;
  }
}

const nothing = (): void => undefined;

export const writeState = (path: string, state: object): Promise<void> =>
  writeAtomically(path, JSON.stringify(state), { durable: true });

/** The state that was kept last. Throws when there is none, or no whole one. */
export const readState = async (path: string): Promise<unknown> => {
  const state: unknown = JSON.parse(await readFile(path, "utf8"));
  return state;
};
