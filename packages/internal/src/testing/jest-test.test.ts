import { expect, it } from "vitest";
import { type JestTest, type JestTestFunctions, createJestTest } from "./jest-test.js";

/** Returns a `test` that notes which function of Jest was called, and the results of the bodies. */
const createRecorder = (calls: unknown[][]): JestTestFunctions => {
  const createDefine =
    (function_: string) =>
    (name: string, body: () => Promise<void>, timeout?: number): void =>
      void calls.push([function_, name, body, timeout]);
  const createVariants = (prefix: string) =>
    Object.assign(createDefine(prefix), {
      only: createDefine(`${prefix}.only`),
      skip: createDefine(`${prefix}.skip`),
    });
  return Object.assign(createVariants("test"), {
    concurrent: createVariants("test.concurrent"),
    failing: createDefine("test.failing"),
    todo: (name: string) => void calls.push(["test.todo", name]),
  });
};

it.each<[string, (test: JestTest<string>) => JestTest<string>["only"]]>([
  ["test", (test) => test],
  ["test.only", (test) => test.only],
  ["test.skip", (test) => test.skip],
  ["test.concurrent", (test) => test.concurrent],
  ["test.concurrent.only", (test) => test.concurrent.only],
  ["test.concurrent.skip", (test) => test.concurrent.skip],
  ["test.failing", (test) => test.failing],
])("calls %s with a body that gets its context", async (function_, choose) => {
  const calls: unknown[][] = [];
  const runs: unknown[][] = [];
  const test = createJestTest<string>(createRecorder(calls), async (name, body, { mustFail }) => {
    await body("context");
    runs.push([name, mustFail]);
  });
  let context = "";
  choose(test)("adds a note", (value) => void (context = value), 500);
  expect(calls).toEqual([[function_, "adds a note", expect.any(Function), 500]]);
  const [body] = calls.map(([, , value]) => value as () => Promise<void>);
  await body?.();
  expect({ context, runs }).toEqual({
    context: "context",
    runs: [["adds a note", function_ === "test.failing"]],
  });
});

it("passes the name of a test that is to be written", () => {
  const calls: unknown[][] = [];
  createJestTest(createRecorder(calls), () => Promise.resolve()).todo("adds a note");
  expect(calls).toEqual([["test.todo", "adds a note"]]);
});
