import { once } from "node:events";
import { createTestDatabases } from "@mgmt/platform/test-databases";

// Takes databases until the disk is full. Releases them when it reads a line, and takes another one.
const databases = createTestDatabases();
const taken = [];
for (;;) {
  try {
    taken.push(await databases.take());
  } catch (error) {
    console.log(`${error.code} after ${taken.length > 3 ? "some" : "few"}`);
    break;
  }
}
await once(process.stdin, "data");
await Promise.all(taken.map((database) => databases.release(database)));
await databases.take();
console.log("there is space");
process.exit();
