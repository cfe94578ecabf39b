import type { Contract } from "./contract.js";

/** Declarations of the printed module. */
export const contractTextDeclarations = `
/** The contract as JSON. */
export const contractText: string;
`;

/** Returns a module that contains the contract as JSON text. */
export const printContractText = ({ document }: Contract): string =>
  `export const contractText = ${JSON.stringify(JSON.stringify(document))};\n`;
