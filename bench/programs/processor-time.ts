/** Returns the seconds of processor time that this process has used. */
export const processorTime = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};
