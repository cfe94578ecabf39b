import type { Context } from "../../input/context.js";
import { listRunningServices } from "./running-services.js";

/** Prints every `mgmt dev` that runs. */
export const runDevList = async (context: Pick<Context, "env" | "output" | "signal">): Promise<void> => {
  const entries = await listRunningServices(context);
  await context.output.writeResult(
    entries.map(({ service }) => service),
    "RunningService",
  );
};
