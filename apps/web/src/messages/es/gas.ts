import type { gas as en } from "../en/gas.ts";

export const gas: typeof en = {
  title: "Pagar las comisiones de red con una moneda estable",
  lead: "Firme un mensaje para cambiar una moneda estable por el ETH que necesita para las comisiones de red. La estación de gas envía la transacción.",
  unavailable: "La estación de gas no está disponible.",
  signIn: "Inicie sesión para obtener una cotización",
  token: "Pagar con",
  ask: (symbol: string) => `Obtener una cotización en ${symbol}`,
  pay: "Usted paga",
  receive: "Usted recibe",
  exchange: (amount: string, symbol: string) => `Pagar ${amount} ${symbol}`,
  none: "Su billetera ya tiene ETH suficiente para la comisión de red.",
  done: "Recibió ETH para la comisión de red.",
  expired: "Esta cotización venció. Obtenga otra.",
  failed: "El cambio falló. No se le cobró nada.",
  again: "Obtener otra cotización",
};
