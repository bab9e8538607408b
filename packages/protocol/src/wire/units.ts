/** Sizes in bytes and times in milliseconds, as limits are written down. */
export const KIB = 1024;
export const MIB = 1024 * KIB;
export const SECOND = 1000;
export const MINUTE = 60 * SECOND;
