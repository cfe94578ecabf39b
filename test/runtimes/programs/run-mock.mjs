import { useMock } from "./mock.mjs";

console.log(await useMock());
// A program that imports MSW does not end by itself in Deno.
globalThis.Deno?.exit();
