import type { report as en } from "../en/report.ts";

export const report: typeof en = {
  button: "Denunciar",
  named: (name: string) => `Denunciar ${name}`,
  title: (name: string) => `Denunciar ${name}`,
  hint: "El operador revisa cada denuncia. No necesita una cuenta.",
  reason: "Motivo",
  reasons: {
    spam: "Spam",
    scam: "Estafa",
    impersonation: "Suplantación",
    illegal: "Ilegal",
    copyright: "Infracción de derechos de autor",
    offensive: "Ofensivo",
    other: "Otro",
  },
  text: "Detalles",
  textHint: "Opcional. Como máximo 1000 caracteres.",
  send: "Enviar denuncia",
  failed: "No se pudo enviar la denuncia",
  done: "Denuncia enviada",
  doneBody: "Gracias. No recibirá respuesta. El contenido que el operador bloquea deja de mostrarse en las listas.",
  close: "Cerrar",
};
