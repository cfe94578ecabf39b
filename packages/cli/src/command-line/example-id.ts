/** An id for examples: `buildExampleId(idPrefixes.project)` is `proj_8s2d…`. */
export const buildExampleId = (prefix = ""): string => `${prefix}8s2d4f6g1h3j5k7l9q0w2e4r`;
