import type { IdGenerator, ResourceType } from "./ids.js";
import { idPrefixes } from "../generated/ids.js";
import { randomBytes } from "./random-bytes.js";

/** State of the generator of a seeded server: four unsigned 32-bit numbers. */
export type RandomState = [number, number, number, number];

/** Generates unpredictable values when `state` is null; otherwise a reproducible sequence. */
export class RandomIds implements IdGenerator {
  readonly #state: RandomState | null;
  #randomPool = new Uint8Array(0);
  #usedBytes = 0;

  constructor(state: RandomState | null) {
    this.#state = state && [...state];
  }

  get state(): RandomState | null {
    return this.#state && [...this.#state];
  }

  generateId(resourceType: ResourceType): string {
    return idPrefixes[resourceType] + this.generateLabel(24);
  }

  generateLabel(length: number): string {
    return this.#generateCharacters("abcdefghijklmnopqrstuvwxyz0123456789", length);
  }

  generateSecret(length: number): string {
    return this.#generateCharacters("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789", length);
  }

  generateName(): string {
    const adjective = nameAdjectives[this.#generateIntegerBelow(nameAdjectives.length)] ?? "";
    const noun = nameNouns[this.#generateIntegerBelow(nameNouns.length)] ?? "";
    return `${adjective}-${noun}-${1000 + this.#generateIntegerBelow(9000)}`;
  }

  /** Returns a number in [0, 1), for faults with a probability. */
  generateFraction(): number {
    return this.#generateIntegerBelow(1 << 16) / (1 << 16);
  }

  #generateCharacters(alphabet: string, length: number): string {
    let characters = "";
    for (let index = 0; index < length; index += 1)
      characters += alphabet.charAt(this.#generateIntegerBelow(alphabet.length));
    return characters;
  }

  /** Returns an evenly distributed integer in [0, limit). Rejects values that would favor the lower results. */
  #generateIntegerBelow(limit: number): number {
    const fairLimit = 65_536 - (65_536 % limit);
    for (;;) {
      const random = this.#generateSixteenBits();
      if (random < fairLimit) return random % limit;
    }
  }

  #generateSixteenBits(): number {
    if (this.#state) return advanceRandomState(this.#state) >>> 16;
    if (this.#usedBytes + 2 > this.#randomPool.length) {
      this.#randomPool = randomBytes(512);
      this.#usedBytes = 0;
    }
    const value =
      (this.#randomPool[this.#usedBytes] ?? 0) * 256 + (this.#randomPool[this.#usedBytes + 1] ?? 0);
    this.#usedBytes += 2;
    return value;
  }
}

/** Returns the initial state of the generator for a seed. */
export const createRandomState = (seed: string): RandomState => {
  let hash = 0x811c9dc5;
  for (const character of seed) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 0x01000193);
  const state: RandomState = [hash >>> 0, 0x9e3779b9, 0x243f6a88, 1];
  for (let round = 0; round < 16; round += 1) advanceRandomState(state);
  return state;
};

/** Advances the state of the generator (sfc32), which is small and fast. Not for real secrets. */
const advanceRandomState = (state: RandomState): number => {
  const nextValue = (state[0] + state[1] + state[3]) >>> 0;
  state[3] = (state[3] + 1) >>> 0;
  state[0] = (state[1] ^ (state[1] >>> 9)) >>> 0;
  state[1] = (state[2] + (state[2] << 3)) >>> 0;
  state[2] = (((state[2] << 21) | (state[2] >>> 11)) + nextValue) >>> 0;
  return nextValue;
};

const nameAdjectives = (
  "amber ample bold brave brisk bright calm candid clear clever cosmic crisp dapper eager early fair fleet fond fresh gentle " +
  "glad golden grand happy hardy honest humble ideal jolly keen kind lively loyal lucky mellow merry mild misty modest neat noble " +
  "placid polite proud quick quiet rapid ready royal rustic silent silver sleek smart snowy solid steady sunny swift tidy tranquil " +
  "true vivid warm wise witty young zesty"
).split(" ");

const nameNouns = (
  "acorn anchor arbor aspen badger basin beacon birch bison bloom breeze brook canyon cedar cliff cloud comet coral cove crane creek " +
  "delta dune eagle ember falcon fern field finch fjord forest fox garden glade grove harbor hawk heron hill island lagoon lake lark " +
  "maple marsh meadow mesa moon moss oak ocean orchard otter owl peak pebble pine plain pond prairie quail raven reef ridge river " +
  "robin sparrow spruce star stone stream summit swan thicket trail valley willow wren"
).split(" ");
