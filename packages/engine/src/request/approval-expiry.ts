import type { ApprovalRow } from "../store/rows.js";

/** Returns the row with the status that it has at this time: an approval expires without being updated. */
export const applyExpiry = (row: ApprovalRow, now: number): ApprovalRow => {
  const isExpired =
    ((row.status === "pending" || row.status === "approved") && now >= row.expiresAt) ||
    (row.status === "approved_window" && now >= (row.windowExpiresAt ?? row.expiresAt));
  return isExpired ? { ...row, status: "expired" } : row;
};
