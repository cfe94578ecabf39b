// The packages are links to folders elsewhere.
module.exports = {
  outputFileTracingRoot: "/",
  turbopack: { root: "/" },
};
