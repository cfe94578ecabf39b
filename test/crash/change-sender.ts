import type { MgmtClient } from "@mgmt/sdk";
import type { Answers } from "./answers.js";
import type { MgmtDev } from "./mgmt-dev.js";
import { type Outcome, send } from "./outcome.js";
import type { Random } from "./random.js";
import type { Answer } from "./request.js";
import { deleteWithSdk, rotateWithSdk } from "./sdk-calls.js";

/** Part of the deletions and rotations that the SDK sends. */
const sdkShare = 0.5;

/** Sends the changes of a client, and counts their answers. */
export class ChangeSender {
  readonly #dev: MgmtDev;
  readonly #random: Random;
  readonly #client: string;
  readonly #answers: Answers;
  #pending: string | undefined;

  constructor(dev: MgmtDev, random: Random, client: string, answers: Answers) {
    this.#dev = dev;
    this.#random = random;
    this.#client = client;
    this.#answers = answers;
  }

  /** The change that has no answer yet. */
  get pending(): string | undefined {
    return this.#pending;
  }

  send(change: string, request: () => Promise<Answer>): Promise<Outcome> {
    return this.#observe(change, change, () => send(`${this.#client}: ${change}`, request));
  }

  delete(
    change: string,
    token: string,
    path: string,
    work: (client: MgmtClient) => Promise<unknown>,
  ): Promise<Outcome> {
    return this.#random.next() < sdkShare
      ? this.#observe(change, `${change} (SDK)`, () => deleteWithSdk(this.#dev, token, work))
      : this.send(change, () => this.#dev.call(token, "DELETE", path));
  }

  rotate(token: string, id: string): Promise<Outcome> {
    return this.#random.next() < sdkShare
      ? this.#observe("rotate", "rotate (SDK)", () => rotateWithSdk(this.#dev, token, id))
      : this.send("rotate", () => this.#dev.call(token, "POST", `/v1/connections/${id}/rotate`));
  }

  async #observe(change: string, counted: string, work: () => Promise<Outcome>): Promise<Outcome> {
    this.#pending = change;
    const outcome = await work().finally(() => {
      this.#pending = undefined;
    });
    this.#answers.add(counted, outcome.meaning);
    return outcome;
  }
}
