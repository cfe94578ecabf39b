/** Variables that turn the update notice off: our own, and a variable that many programs share. */
export const updateNoticeVariables = ["MGMT_NO_UPDATE_NOTIFIER", "NO_UPDATE_NOTIFIER"] as const;
