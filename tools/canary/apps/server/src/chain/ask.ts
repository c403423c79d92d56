/** Outside connections belong here: no violation. */
export const ask = () => fetch("http://127.0.0.1:8545");
export const at = () => Date.now(); // violation: Time, ids and randomness
