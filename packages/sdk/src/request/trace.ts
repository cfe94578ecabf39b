/** Node's own, where there is one; no bundler sees it, and other runtimes go without. */
const diagnostics = globalThis.process?.getBuiltinModule?.("node:diagnostics_channel");

const channel = (name: string) => diagnostics?.tracingChannel(`@mgmt/sdk:${name}`);
const channels = { call: channel("call"), attempt: channel("attempt") };

export const isTraced = (name: "call" | "attempt"): boolean => channels[name]?.hasSubscribers === true;

/** Tells those who listen when `work` starts, ends and fails; never what it gives, which may be a secret. */
export const trace = <T>(name: "call" | "attempt", context: object, work: () => Promise<T>): Promise<T> => {
  const to = channels[name];
  if (!to?.hasSubscribers) return work();
  let value: T;
  return to.tracePromise(() => work().then((worked) => void (value = worked)), context).then(() => value);
};
