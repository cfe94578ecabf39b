import { pathToFileURL } from "node:url";
import { type Target, answer, spend } from "./answer.js";

/** The exports of every file in `contenders/`. */
interface Contender {
  lister(baseUrl: string, token: string): () => Promise<readonly { id: string }[] | undefined>;
}

export interface Calls {
  readonly target: Target;
  /** The path of a file of `contenders/`, or of a bundle of one. */
  readonly contender: string;
  readonly calls: number;
}

/** Calls one client for a list of two. */
await answer(async ({ target: { baseUrl, token }, contender, calls }: Calls) => {
  const { lister } = (await import(pathToFileURL(contender).href)) as Contender;
  const list = lister(baseUrl, token);
  return spend(calls, async () => {
    const ids = (await list())?.map(({ id }) => id);
    if (ids?.join() !== "p-0,p-1") throw new Error("A response is not the list");
  });
});
