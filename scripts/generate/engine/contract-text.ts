import type { Contract } from "../contract/contract.js";
import { publishedDocument } from "../contract/published-document.js";

/** Declarations of the printed module. */
export const contractTextDeclarations = `
/** The contract as JSON. */
export const contractText: string;
`;

/** Returns a module that contains the contract, as it is published, as JSON text. */
export const printContractText = (contract: Contract): string =>
  `export const contractText = ${JSON.stringify(JSON.stringify(publishedDocument(contract)))};\n`;
