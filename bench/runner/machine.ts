import { arch, availableParallelism, cpus, loadavg, platform, totalmem } from "node:os";

/** Describes the kind of machine, without its name. On a busy machine, only processor times are meaningful. */
export const describeMachine = (): string => {
  const [load = 0] = loadavg();
  const busy = load > 0.5 ? " (busy: trust ratios by processor time only)" : "";
  return [
    new Date().toISOString().slice(0, 10),
    `${platform()} ${arch()}`,
    `${String(availableParallelism())} × ${cpus()[0]?.model.trim() ?? "unknown processor"}`,
    `${String(Math.round(totalmem() / 2 ** 30))} GiB`,
    `load ${load.toFixed(2)}${busy}`,
  ].join(", ");
};
