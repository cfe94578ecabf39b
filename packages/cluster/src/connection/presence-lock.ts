/**
 * The advisory lock of processes on one Postgres server. A process that works on databases shares it, and a process that holds
 * it exclusively is the only one. Tenants cannot take the lock, because each database has locks of its own.
 */
export const presenceLockKeySql = "hashtextextended('mgmt presence', 0)";
