/** Whether the shown data are current; `asOf`, while paused, is the time of the data in milliseconds. */
export type LiveStatus = { state: "off" | "connecting" | "live" } | { state: "paused"; asOf: number };

/**
 * The status without a stream. One object for all: React compares statuses by identity, and would render the whole page
 * again, in one task, if another "off" replaced it during the first render.
 */
export const off: LiveStatus = { state: "off" };
