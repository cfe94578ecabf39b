import { defaultNetworkOptions } from "msw/node";

/** Does what MSW before 2.13 does when any of its servers is closed: it ends the interception of all. */
export const endInterception = (): void => {
  for (const source of defaultNetworkOptions.sources) {
    const { disable }: typeof source = Object.getPrototypeOf(source);
    disable.call(source);
  }
};
