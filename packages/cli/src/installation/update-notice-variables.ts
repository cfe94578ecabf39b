/** Variables that turn the update notice off: our own, and the one that many programs share. */
export const updateNoticeVariables = ["MGMT_NO_UPDATE_NOTIFIER", "NO_UPDATE_NOTIFIER"] as const;
