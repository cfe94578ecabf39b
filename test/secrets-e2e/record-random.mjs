// Preloaded into a process: records the random bytes that it draws, because PKCE verifiers are among them and are not
// observable in any other way.
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
