import { expect, inject, it } from "vitest";
import { bundle } from "./bundle.js";

/** The part of the package that the test uses. It is installed on demand, so the compiler does not see it. */
interface EdgeRuntime {
  EdgeVM: new (options: { codeGeneration: { strings: boolean; wasm: boolean } }) => {
    evaluate(code: string): unknown;
  };
}

it("creates, lists, waits, and throws with the packed mock inside an edge runtime", async () => {
  const conditions = ["edge-light", "worker", "browser"];
  const program = 'import { useMock } from "./mock.mjs"; globalThis.outcome = useMock();';
  const { code, imports } = await bundle(inject("installed"), program, conditions);
  expect(imports).toEqual([]);
  const file = new URL("node_modules/@edge-runtime/vm/dist/index.js", import.meta.url);
  const { EdgeVM } = (await import(file.href)) as EdgeRuntime;
  // As the frameworks that deploy to such runtimes configure it.
  const runtime = new EdgeVM({ codeGeneration: { strings: false, wasm: false } });
  runtime.evaluate(`{ ${code} }`);
  expect(await runtime.evaluate("outcome")).toBe("all is so");
});
