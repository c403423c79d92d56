/** `transfer`, `transferFrom`, `increaseAllowance`, `setApprovalForAll`: what gives assets away, or lets others take them. */
const givingSelectors = ["0xa9059cbb", "0x23b872dd", "0x39509351", "0xa22cb465"];

/** Whether a call gives assets of the wallet away by itself. `approve` is a part of trades. */
export const gives = (data: string): boolean => givingSelectors.includes(data.slice(0, 10).toLowerCase());

/** `approve(address,uint256)`. */
export const approves = (data: string): boolean => data.slice(0, 10).toLowerCase() === "0x095ea7b3";
