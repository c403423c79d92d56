export const load = () => fetch("/api"); // violation: the global variable fetch
export const loadHidden = () => window.fetch("/api"); // violation: requests are sent by the SDK only
export const open = () => new WebSocket("wss://127.0.0.1"); // violation: the global variable WebSocket
export const listen = () => new EventSource("/events"); // violation: the global variable EventSource
export const wallet = () => (window as { ethereum?: unknown }).ethereum; // violation: window.ethereum is read in apps/web/src/wallet only
export default load; // violation: default export
