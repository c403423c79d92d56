/** Whether two addresses are equal, in any case of their digits. */
export const isSameAddress = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();
