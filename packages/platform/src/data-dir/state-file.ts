import { readFile } from "node:fs/promises";
import { writeAtomically } from "./atomic-file.js";

/** Writes a state that changes often. Changes made during a write are combined into the next write. */
export class StateFile {
  readonly #path: string;
  readonly #read: () => object;
  #writing: Promise<void> = Promise.resolve();
  #next: Promise<void> | undefined;
  #closed = false;

  /** @param read returns the current state. */
  constructor(path: string, read: () => object) {
    this.#path = path;
    this.#read = read;
  }

  /** Resolves when the current state, or a later one, is on disk. */
  save(): Promise<void> {
    if (this.#closed) return Promise.resolve();
    this.#next ??= this.#writing.then(nothing, nothing).then(() => {
      this.#next = undefined;
      this.#writing = writeState(this.#path, this.#read());
      return this.#writing;
    });
    return this.#next;
  }

  /** Saves a last time. Later calls of `save` do nothing. */
  async close(): Promise<void> {
    const saved = this.save();
    this.#closed = true;
    await saved;
  }
}

const nothing = (): void => undefined;

export const writeState = (path: string, state: object): Promise<void> =>
  writeAtomically(path, JSON.stringify(state), { durable: true });

/** Reads the state written last. Throws when the file is missing or is not valid JSON. */
export const readState = async (path: string): Promise<unknown> => {
  const state: unknown = JSON.parse(await readFile(path, "utf8"));
  return state;
};
