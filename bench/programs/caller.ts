import { fileURLToPath, pathToFileURL } from "node:url";
import { type Caller, type Target, type Spent, serveCalls } from "./calls.js";
import { processorTime } from "./processor-time.js";

type List = () => Promise<readonly { id: string }[] | undefined>;
/** The exports of every file in `contenders/`. */
interface Contender {
  lister(baseUrl: string, token: string): List;
}

let lists: { subject: List; baseline: List } | undefined;
let count = 0;
let turn = 0;

serveCalls<Caller>({
  start: async (contender, target, expected) => {
    count = expected;
    lists = { subject: await listOf(contender, target), baseline: await listOf(fetchContender, target) };
  },
  time: async (batches, callsPerBatch) => {
    if (!lists) throw new Error("`start` must be called first");
    const spent = { subject: [] as Spent[], baseline: [] as Spent[] };
    for (let batch = 0; batch < batches; batch += 1) {
      turn += 1;
      for (const name of turn % 2 === 0 ? sides : sides.toReversed()) {
        spent[name].push(await spend(lists[name], callsPerBatch));
      }
    }
    return spent;
  },
});

/** Calls sequentially. Throws if a response is not the list. */
const spend = async (list: List, calls: number): Promise<Spent> => {
  const started = performance.now();
  const processor = processorTime();
  for (let call = 0; call < calls; call += 1) assertList(await list());
  return {
    microseconds: ((performance.now() - started) / calls) * 1000,
    processorMicroseconds: ((processorTime() - processor) / calls) * 1e6,
  };
};

const sides = ["subject", "baseline"] as const;
const fetchContender = fileURLToPath(new URL("../contenders/fetch.js", import.meta.url));

const listOf = async (contender: string, { baseUrl, token }: Target): Promise<List> => {
  // Only files of `contenders/` and bundles of them are passed here.
  const { lister } = (await import(pathToFileURL(contender).href)) as Contender;
  return lister(baseUrl, token);
};

const assertList = (items: Awaited<ReturnType<List>>): void => {
  if (
    items?.length !== count ||
    items[0]?.id !== "p-0" ||
    items[count - 1]?.id !== `p-${String(count - 1)}`
  ) {
    throw new Error("A response is not the list");
  }
};
