/** The browser's wallet belongs here: no violation. */
export const injected = () => (window as { ethereum?: unknown }).ethereum;
