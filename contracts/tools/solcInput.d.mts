export function getSolcVersion(): string;
export function compileInput(text: string, options?: { store?: boolean; reuse?: boolean }): string;
