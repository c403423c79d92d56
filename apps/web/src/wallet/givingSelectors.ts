/**
 * Selectors that transfer assets or allow others to: `transfer`, `transferFrom`, `increaseAllowance`,
 * `setApprovalForAll`.
 */
const givingSelectors = ["0xa9059cbb", "0x23b872dd", "0x39509351", "0xa22cb465"];

/** Whether a call gives away assets of the wallet. Excludes `approve`, which trades need. */
export const gives = (data: string): boolean => givingSelectors.includes(data.slice(0, 10).toLowerCase());

/** Whether a call is `approve(address,uint256)`. */
export const approves = (data: string): boolean => data.slice(0, 10).toLowerCase() === "0x095ea7b3";
