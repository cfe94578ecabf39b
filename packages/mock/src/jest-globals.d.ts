/** The part of Jest that the fixtures use. Jest itself provides the module, so that no package of Jest has to be installed here. */
declare module "@jest/globals" {
  type Body = () => Promise<void>;
  type Define = (name: string, body: Body, timeout?: number) => void;

  interface Variants extends Define {
    readonly only: Define;
    readonly skip: Define;
  }

  export const test: Variants & {
    readonly failing: Define;
    readonly concurrent: Variants;
    todo(name: string): void;
  };
  export const expect: { getState(): { currentTestName?: string } };
}
