import { usageError } from "../../errors/usage-errors.js";
import { groups } from "../../contract/generated/groups.js";
import { formatSuggestion } from "../../text/suggest.js";

/** A failure of one request of the rehearsed command. */
export interface RehearsedFault {
  /** Id of the operation: `databases.create`. */
  readonly operation: string;
  /** Status of the response, or `lost` if the request takes effect and the connection is cut before the response. */
  readonly status: number | "lost";
  /** Which request for the operation fails. The first one is 1. */
  readonly nth: number;
}

/** Parses `operation:status:nth`, whose last part is optional. Throws `usage:invalid`. */
export const parseFault = async (faultText: string): Promise<RehearsedFault> => {
  const [operation = "", status = "", nth = "1", ...extraParts] = faultText.split(":");
  const invalidFaultError = (hint: string): Error =>
    usageError(`--fault cannot be ${JSON.stringify(faultText)}`, `${hint} Example: databases.create:503:1`);
  if (status === "" || extraParts.length > 0)
    throw invalidFaultError("It must be operation:status or operation:status:nth.");
  const definitions = (await Promise.all(groups.map(({ load }) => load()))).flat();
  const ids = definitions.map(({ id }) => id);
  if (!ids.includes(operation)) {
    throw invalidFaultError(
      `There is no operation ${operation}. ${formatSuggestion(operation, ids)}mgmt operations lists them.`,
    );
  }
  if (status !== "lost" && !/^[45]\d\d$/.test(status)) {
    throw invalidFaultError("The status must be a number from 400 to 599, or lost.");
  }
  if (!/^[1-9]\d{0,5}$/.test(nth))
    throw invalidFaultError("The last part must be the number of the request, at least 1.");
  return { operation, status: status === "lost" ? status : Number(status), nth: Number(nth) };
};

/** Returns the fault as the user types it. */
export const formatFault = ({ operation, status, nth }: RehearsedFault): string =>
  `${operation}:${String(status)}:${String(nth)}`;
