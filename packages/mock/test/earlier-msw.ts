import { defaultNetworkOptions } from "msw/node";

/** Does what MSW before 2.13 does when any of its servers is closed: it ends the interception of all. */
export const endInterception = (): void => {
  for (const source of defaultNetworkOptions.sources) {
    const { disable }: typeof source = Object.getPrototypeOf(source);
    disable.call(source);
  }
};

/** Lets servers listen that a mock would refuse, because MSW before 2.13 has nothing to refuse them with. */
export const allowOthers = (): void => {
  for (const source of defaultNetworkOptions.sources) {
    Reflect.deleteProperty(source, "enable");
    Reflect.deleteProperty(source, "disable");
  }
};
