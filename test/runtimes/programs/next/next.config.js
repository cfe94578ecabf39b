export default {
  outputFileTracingRoot: import.meta.dirname,
  // The tests of the examples check their types.
  typescript: { ignoreBuildErrors: true },
};
