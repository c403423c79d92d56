export const now = () => Date.now(); // violation: Time, ids and randomness
export const fresh = () => new Date(); // violation: Time, ids and randomness
export const random = () => Math.random(); // violation: Time, ids and randomness
export const id = () => crypto.randomUUID(); // violation: Time, ids and randomness // violation: global variable crypto
export const remote = () => fetch("https://example.com"); // violation: global variable fetch
export const indirect = () => globalThis.fetch("https://example.com"); // violation: global variable globalThis
export const home = () => process.env.HOME; // violation: process.env // violation: global variable process
