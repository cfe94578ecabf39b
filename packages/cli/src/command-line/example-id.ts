/** Returns an id for examples in the help: `proj_8s2d…` for the prefix `proj_`. */
export const buildExampleId = (prefix = ""): string => `${prefix}8s2d4f6g1h3j5k7l9q0w2e4r`;
