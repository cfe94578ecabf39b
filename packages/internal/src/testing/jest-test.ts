/** The body of a test of Jest. `row` has the values of `test.each`. */
export type JestTestBody<Context, Row extends readonly unknown[] = []> = (
  context: Context,
  ...row: Row
) => void | Promise<void>;

/** Defines a test of Jest. */
export type DefineJestTest<Context> = (name: string, body: JestTestBody<Context>, timeout?: number) => void;

/** Defines a test of Jest, or marks it. */
export interface JestTestVariants<Context> extends DefineJestTest<Context> {
  readonly only: DefineJestTest<Context>;
  readonly skip: DefineJestTest<Context>;
}

/** Jest's `test`, whose body gets a context. */
export interface JestTest<Context> extends JestTestVariants<Context> {
  readonly concurrent: JestTestVariants<Context>;
  readonly failing: DefineJestTest<Context>;
  todo(name: string): void;
}

type DefineTest = (name: string, body: () => Promise<void>, timeout?: number) => void;

type TestVariants = DefineTest & { readonly only: DefineTest; readonly skip: DefineTest };

/** The functions of Jest's `test` that `createJestTest` calls. */
export type JestTestFunctions = TestVariants & {
  readonly concurrent: TestVariants;
  readonly failing: DefineTest;
  readonly todo: (name: string) => void;
};

/**
 * Returns Jest's `test` for bodies that get a context.
 *
 * @param jestTest Jest's `test`.
 * @param run runs the body of a test, which is expected to fail if `mustFail` is set.
 */
export const createJestTest = <Context>(
  jestTest: JestTestFunctions,
  run: (name: string, body: JestTestBody<Context>, expectation: { mustFail: boolean }) => Promise<void>,
): JestTest<Context> => {
  const createDefine =
    (define: DefineTest, mustFail = false): DefineJestTest<Context> =>
    (name, body, timeout) =>
      define(name, () => run(name, body, { mustFail }), timeout);
  const createVariants = (variants: TestVariants): JestTestVariants<Context> =>
    Object.assign(createDefine(variants), {
      only: createDefine(variants.only),
      skip: createDefine(variants.skip),
    });
  return Object.assign(createVariants(jestTest), {
    concurrent: createVariants(jestTest.concurrent),
    failing: createDefine(jestTest.failing, true),
    todo: (name: string) => jestTest.todo(name),
  });
};
