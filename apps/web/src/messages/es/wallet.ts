import type { wallet as en } from "../en/wallet.ts";
import { walletButton } from "./walletButton.ts";

export const wallet: typeof en = {
  ...walletButton,
  connectTitle: "Conectar una billetera",
  connectHint: "Al conectar, este sitio ve su dirección. Es gratis y no envía ninguna transacción.",
  noWallet: "No hay ninguna billetera en este navegador",
  noWalletHelp:
    "Instale una extensión de billetera, o abra esta página en la aplicación de billetera de su teléfono. La billetera aparece aquí sola.",
  openInApp: (app: string) => `Abrir esta página en ${app}`,
  connecting: (name: string) => `Esperando a ${name}`,
  connectingHelp: "Confirme la conexión en su billetera.",
  silent: "Su billetera no ha respondido desde hace un minuto.",
  askAgain: "Reintentar",
  cancel: "Cancelar",
  declined: "Solicitud rechazada. No se envió nada.",
  busy: "Su billetera tiene una solicitud pendiente. Abra su billetera y respóndala primero.",
  noAccount: "Su billetera no compartió ninguna cuenta. Elija una cuenta en su billetera.",
  connectFailed: "No se pudo conectar con la billetera.",
  signInTitle: "Iniciar sesión",
  signInAgainAs: (wallets: readonly string[]) =>
    `Inicie sesión de nuevo para continuar. La billetera conectada no pertenece a esta cuenta. Cambie a ${wallets.join(" o ")} en su billetera e inténtelo de nuevo.`,
  signInHint: "Firme un mensaje para demostrar que la dirección es suya. Es gratis y no envía ninguna transacción.",
  switching: (chain: string) => `Cambiando a ${chain}`,
  wrongChain: (chain: string) => `Su billetera está en otra red. Cambie a ${chain}.`,
  cannotSwitch: (chain: string, id: number) =>
    `No se pudo cambiar automáticamente. Elija ${chain} (ID de cadena ${id}) en su billetera.`,
  otherNetwork: (chain: string) =>
    `${chain} usa otro RPC en su billetera. Actualice la URL del RPC en la configuración de redes de su billetera.`,
  noDeployment: "No hay ningún despliegue configurado. No se puede operar ni lanzar.",
  otherSession: (address: string) =>
    `Su sesión es de la cuenta de otra billetera, que es la dueña de los borradores. ${address} envía y paga.`,

  addToken: (symbol: string) => `Añadir ${symbol} a su billetera`,
  tokenAdded: "Su billetera muestra el token.",
  tokenNotAdded: "Rechazado. Su billetera no muestra el token.",
  cannotAddToken:
    "Su billetera no puede añadir el token por solicitud. Copie la dirección del token y añádalo en su billetera.",

  steps: "Pasos",
  names: {
    sign_in: "Iniciar sesión (gratis, sin transacción)",
    permit: "Firmar un permiso para vender",
    permit_top_up: "Firmar un permiso para pagar la comisión",
    top_up: "Firmar el cambio para la comisión de red",
    top_up_sent: "Recibiendo ETH para la comisión de red",
    approve: "Autorizar",
    wrap: "Convertir a WETH",
    swap: "Operar",
    deploy_splitter: "Crear el divisor de comisiones",
    deploy_vesting: "Crear la liberación gradual de los tokens comprados",
    launch: "Lanzar el token",
    cancel_launches: "Cancelar los lanzamientos firmados",
    sign_launch: "Firmar el lanzamiento como creador (gratis, sin transacción)",
    pending: "Esperando la transacción anterior de esta billetera",
    launch_calls: "Crear el divisor de comisiones y lanzar (un lote)",
    collect: "Recaudar comisiones",
    settle: "Liquidar comisiones",
    release: "Pagar comisiones",
    claim: "Cobrar comisiones",
    set_payout: "Cambiar la dirección de cobro",
    release_vesting: "Entregar los tokens liberados",
    create_opening: "Crear la apertura",
    deposit_opening: "Depositar",
    claim_opening: "Cobrar de la apertura",
    close_opening: "Cerrar la apertura",
    sign_opening: "Firmar el lanzamiento como creador (gratis, sin transacción)",
    launch_opening: "Lanzar el token con una sola compra de los depósitos",
  },
  sponsored:
    "Si su billetera envía los pasos en un solo lote y lo acepta, el operador de este sitio paga la comisión de red. El servicio de pago del operador ve entonces el lote.",
  stepAsking: "Confirme en su billetera.",
  stepWorking: "En curso",
  stepSilent:
    "Su billetera no ha respondido desde hace un minuto. Si envía la transacción más tarde, aquí se seguirá igualmente.",
  stepAbandoned: "Sin respuesta",
  stepSent: "Enviada, a la espera de confirmación",
  stepSentBatch: "Enviada como un lote, a la espera de confirmación",
  stepConfirmed: "Confirmada",
  stepFailed: "Fallida",
  stepDeclined: "Rechazada",
  stepReplaced: "Sustituida o cancelada en su billetera",
  stepLeft: "Ya no se sigue",
  delayUnknown:
    "Esta transacción aún no está en la red. Una billetera multifirma la envía cuando sus propietarios han firmado. Puede cerrar esta página.",
  delayDropped:
    "La red ya no tiene esta transacción, pero todavía puede incluirla. Para enviarla otra vez, primero deje de seguirla.",
  delaySlow: "Sigue pendiente. La transacción todavía puede confirmarse.",
  forget: "Dejar de seguir",
  transaction: "Transacción",
  preparing: "Preparando el siguiente paso",
  goOn: "Continuar",
  tryAgain: "Reintentar",
  goBack: "Volver",

  stopTitle: "Detenido",
  stopAccount:
    "La cuenta de su billetera cambió. No se envían más transacciones. Empiece de nuevo con la cuenta que quiere usar.",
  stopChain: "Su billetera cambió a otra red. No se envió nada.",
  stopNotThisWallet: "La transacción preparada es para otra cuenta u otra red. No se envió nada.",
  stopNotAsAsked: "La transacción preparada no corresponde a su solicitud. No se firmó ni se envió nada.",
  stopFailed: "Su billetera no pudo enviar la transacción.",
  stopPriceMoved:
    "El precio superó su tolerancia al deslizamiento. No se hizo ninguna operación. Obtenga otra cotización.",
  stopTooLate:
    "La cotización venció antes de que se confirmara la transacción. No se hizo ninguna operación. Obtenga otra cotización.",
  stopReverted: "La transacción se revirtió. Solo se cobró la comisión de red.",
  stopBatch: "El lote falló. Ninguna de sus transacciones tuvo efecto.",
  stopReplaced:
    "Su billetera sustituyó esta transacción. Si usted la aceleró, compruebe su billetera antes de enviarla de nuevo.",
  stopCancelled: "Usted dejó de esperar. Si su billetera envía la transacción más tarde, aquí se seguirá igualmente.",
  stopLeft: "Ya no se sigue. Compruebe su billetera antes de enviar la transacción de nuevo.",
  stopSignIn: "El mensaje de inicio de sesión no corresponde a este sitio. No se firmó.",
};
