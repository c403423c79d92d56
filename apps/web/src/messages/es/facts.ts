import type { facts as en } from "../en/facts.ts";

export const facts: typeof en = {
  title: "Datos",
  intro: "Calculado con eventos de la cadena. Una cifra dice qué pasó, no por qué. No es una calificación.",
  asOf: (block: string) => `En el bloque ${block}`,
  unknown: "desconocido",
  creator: "Creador",
  creatorFacts: {
    creator_share: {
      name: "Tiene ahora",
      about: "El saldo del creador. No se conocen otras cuentas de la misma persona.",
    },
    creator_bought: { name: "Compró", about: "Todas sus compras en este pool, incluida la compra inicial." },
    creator_sold: { name: "Vendió", about: "Todas sus ventas en este pool." },
    creator_transferred_out: {
      name: "Envió",
      about:
        "Tokens que envió a otros sin venderlos: regalos, quemas, liquidez. Los tokens que volvieron no se restan.",
    },
  },
  firstBuyers: "Primeros compradores",
  firstBuyersAbout:
    "Todas las compras desde el lanzamiento hasta el fin del periodo; las ventas no se restan. Conservado: lo que estas cuentas tienen ahora, cada una hasta la cantidad que compró en el periodo.",
  window: "Periodo",
  windows: {
    launch_transaction: "Transacción de lanzamiento",
    launch_block: "Bloque de lanzamiento",
    first_3_blocks: "Primeros 3 bloques",
    first_10_blocks: "Primeros 10 bloques",
    first_60_seconds: "Primeros 60 segundos",
  },
  running: "en curso",
  bought: "Comprado",
  accounts: "Cuentas",
  held: "Conservado",
  firstBuyersCaption: "Compras en los primeros bloques",
  funded: {
    name: "Primeros compradores a los que el creador dio tokens",
    about:
      "Cuentas que compraron en los primeros 10 bloques o 60 segundos y recibieron del creador tokens de uno de sus lanzamientos. " +
      "Desconocido si no hay ninguna: otros pagos no se indexan.",
    value: (count: string) => `al menos ${count}`,
  },
  holders: "Titulares y operaciones",
  holderFacts: {
    top_10_share: {
      name: "10 mayores titulares",
      about: "Los diez saldos más grandes, sin el pool, el bloqueo de liquidez ni los tokens quemados.",
    },
    holders_without_buy: {
      name: "Titulares que nunca compraron",
      about: "Recibieron sus tokens por una transferencia, como en un reparto gratuito.",
      of: (count: string, all: string) => `${count} de ${all}`,
    },
    round_trips_block: {
      name: "Comprado y vendido en un bloque",
      about: "Por una misma cuenta: el doble de la cantidad menor, como parte de todos los tokens negociados.",
    },
    round_trips_300_seconds: {
      name: "Comprado y vendido en 5 minutos",
      about: "Lo mismo para cada intervalo de 5 minutos.",
    },
  },
  fixed: "Fijado por los contratos",
  fixedFacts: {
    privileged_functions: {
      name: "Funciones privilegiadas",
      about:
        "Nadie puede emitir, pausar, bloquear cuentas, cambiar comisiones de transferencias, actualizar, confiscar ni limitar. No hay propietario.",
    },
    liquidity_locked: {
      name: "Liquidez bloqueada",
      about: "La parte de la liquidez activa que nadie puede retirar.",
    },
    fee_total: { name: "Comisión por operación", about: "De cada operación. No se puede cambiar." },
    fee_protocol: {
      name: "De ella, para el protocolo",
      about: "De cada operación. El resto va a los beneficiarios de comisiones.",
    },
  },
  earlier: (count: string) => `Lanzamientos anteriores de este creador: ${count}`,
  earlierNone: "Cuenta los lanzamientos de la misma cuenta.",
  earlierAbout: "Lanzamientos de la misma cuenta. Se muestran los 20 más recientes.",
  earlierCaption: "Lanzamientos anteriores, los más recientes primero",
  token: "Token",
  removed: "Retirado de las listas",
  launched: "Lanzado",
  lastTrade: "Última operación",
  never: "nunca",
  liquidity: "Liquidez",
  creatorSold: "El creador vendió",
};
