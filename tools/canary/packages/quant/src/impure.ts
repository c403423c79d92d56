export const now = () => Date.now(); // violation: Time, ids and randomness
export const random = () => Math.random(); // violation: Time, ids and randomness
export const remote = () => fetch("https://example.com"); // violation: global variable fetch
export const home = () => process.env.HOME; // violation: process.env // violation: global variable process
