import { MockError } from "@mgmt/mock";
import { runParity, usage } from "./parity.js";

try {
  await runParity(process.argv.slice(2), { token: process.env["MGMT_TOKEN"], print: console.log });
} catch (error) {
  if (error instanceof MockError) {
    console.error(error.message);
    process.exitCode = 1;
  } else if (error instanceof TypeError) {
    console.error(`${error.message}\n\n${usage}`);
    process.exitCode = 2;
  } else throw error;
}
