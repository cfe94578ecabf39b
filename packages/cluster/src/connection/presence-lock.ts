/**
 * The advisory lock of the processes of one installation. A process that works on databases shares it, and a process that holds it
 * exclusively is the only one. Tenants cannot take the lock, because each database has locks of its own.
 */
export const presenceLockName = "presence";
