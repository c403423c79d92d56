import type { share as en } from "../en/share.ts";

export const share: typeof en = {
  open: "Compartir",
  back: "Página del token",
  title: (symbol: string) => `Compartir ${symbol}`,
  lead: "Un enlace, una imagen, un gráfico para su propio sitio web y un mensaje para quienes ganan comisiones de este token.",
  soFar: "Hasta ahora",
  marketCap: "Capitalización",
  holders: "Titulares",
  volume: "Volumen 24 h",
  fees: "Sus comisiones hasta ahora",
  feesSignIn: "Inicie sesión para ver sus comisiones",
  feesPage: "Cobrar comisiones",
  link: "Enlace",
  linkLabel: "Enlace de la página del token",
  linkHint: "Las publicaciones con este enlace muestran la imagen de esta página.",
  codeAlt: (symbol: string) => `Código QR de la página de ${symbol}`,
  card: "Imagen",
  cardHint: "Con el precio actual, la variación en 24 horas y la línea de precios.",
  cardAlt: (symbol: string) => `Imagen de ${symbol} con precio y línea de precios`,
  cardDownload: "Descargar imagen",
  chart: "Gráfico para su sitio web",
  chartHint:
    "Pegue esto en el HTML de su página. El gráfico se actualiza cada minuto, sigue el tema claro u oscuro del visitante y no usa cookies.",
  chartLabel: "HTML del gráfico",
  chartPreview: "Abrir el gráfico",
  recipients: "Avise a sus beneficiarios",
  recipientsHint:
    "Cada enlace abre la página de la billetera, donde el beneficiario la conecta y cobra sus comisiones.",
  recipientsNone: "Este token no tiene beneficiarios de comisiones.",
  recipientLink: (wallet: string) => `mensaje para ${wallet}`,
  recipientMessage: (share: string, symbol: string, url: string) =>
    `Su billetera recibe el ${share} de la parte de los beneficiarios en las comisiones de ${symbol} en Slipway. Cóbrelas aquí: ${url}`,
};
