import { pathToFileURL } from "node:url";
import { type Caller, serveCalls } from "./calls.js";
import { spend } from "./spend.js";

type List = () => Promise<readonly { id: string }[] | undefined>;
/** The exports of every file in `contenders/`. */
interface Contender {
  lister(baseUrl: string, token: string): List;
}

let list: List | undefined;
let count = 0;

serveCalls<Caller>({
  start: async (contender, { baseUrl, token }, expected) => {
    count = expected;
    // Only files of `contenders/` and bundles of them are passed here.
    const { lister } = (await import(pathToFileURL(contender).href)) as Contender;
    list = lister(baseUrl, token);
  },
  time: async (calls) => {
    if (!list) throw new Error("`start` must be called first");
    const call = list;
    return spend(calls, async () => {
      assertList(await call());
    });
  },
});

const assertList = (items: Awaited<ReturnType<List>>): void => {
  if (
    items?.length !== count ||
    items[0]?.id !== "p-0" ||
    items[count - 1]?.id !== `p-${String(count - 1)}`
  ) {
    throw new Error("A response is not the list");
  }
};
