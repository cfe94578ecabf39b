/** Lets the process end although a timer is pending, on platforms that have a process. */
export const unrefTimer = <T>(timer: T): T => {
  if (timer instanceof Object && "unref" in timer && typeof timer.unref === "function") timer.unref();
  return timer;
};
