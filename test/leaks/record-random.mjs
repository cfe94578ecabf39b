// Loaded into a process before its program: writes down the random bytes that it draws, for code verifiers are among them,
// and nothing else ever shows one.
import { appendFileSync } from "node:fs";

const draw = globalThis.crypto.getRandomValues.bind(globalThis.crypto);
const file = process.env.RANDOM_VALUES_FILE ?? "";

globalThis.crypto.getRandomValues = (array) => {
  const drawn = draw(array);
  appendFileSync(
    file,
    `${Buffer.from(drawn.buffer, drawn.byteOffset, drawn.byteLength).toString("base64url")}\n`,
  );
  return drawn;
};
