import type { walletButton as en } from "../en/walletButton.ts";

export const walletButton: typeof en = {
  connect: "Conectar billetera",
  account: "Cuenta",
  myWallet: "Mi billetera",
  drafts: "Borradores",
  fees: "Comisiones",
  copyAddress: "Copiar dirección",
  disconnect: "Desconectar",
  signOut: "Cerrar sesión",
  signOutFailed: "No se pudo cerrar la sesión",
  switchTo: (chain: string) => `Cambiar a ${chain}`,
};
