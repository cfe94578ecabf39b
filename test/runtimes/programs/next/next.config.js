module.exports = {
  outputFileTracingRoot: __dirname,
};
