import { baseUrl } from "./api.ts";

/** Whether a text is an address in the form that the API takes; zero is none, what is sent there is lost. */
export const isAddress = (text: string): boolean => /^0x[0-9a-fA-F]{40}$/.test(text) && !/^0x0{40}$/.test(text);

/** The picture of an address as a QR code (EIP-681), which names the chain too. */
export const getReceiveCodeUrl = (address: string, chainId: number): string =>
  `${baseUrl}/qr.png?${new URLSearchParams({ text: `ethereum:${address}@${chainId}` })}`;
