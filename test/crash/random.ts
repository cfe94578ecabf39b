import { createHash } from "node:crypto";
import { Dice } from "../../packages/engine/test/rules/random-requests.js";

/** Choices that a text determines. */
export class Random extends Dice {
  constructor(seed: string) {
    super(createHash("sha256").update(seed).digest().readInt32LE());
  }

  pick<T>(items: readonly T[]): T {
    const item = this.oneOf(items);
    if (item === undefined) throw new Error("Nothing to choose from");
    return item;
  }
}
