// An ES module worker. The body of a request describes the reference server, and the response contains the
// result.
import { run } from "./bundled.mjs";

export default {
  /** @param {Request} request */
  async fetch(request) {
    try {
      return new Response(await run(await request.json()));
    } catch (error) {
      return new Response(String(error?.stack ?? error), { status: 500 });
    }
  },
};
