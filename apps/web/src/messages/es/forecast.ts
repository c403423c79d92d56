import type { forecast as en } from "../en/forecast.ts";

export const forecast: typeof en = {
  title: "Pronóstico",
  lead: "Pronostique los próximos valores de una serie, con intervalos de probabilidad.",
  signIn: "Inicie sesión para pronosticar",
  signInBody: (credits: number) => `Un pronóstico cuesta ${credits === 1 ? "1 crédito" : `${credits} créditos`}.`,
  source: "Serie",
  sources: { market: "Mercado", own: "Valores propios" },
  market: "Mercado",
  noMarket: "Todavía no hay mercados.",
  hours: "Horas de historial",
  hoursHint: (min: number, max: number) => `De ${min} a ${max} horas cerradas`,
  values: "Valores, el más antiguo primero",
  valuesHint: (count: number, min: number, max: number) =>
    `${count} valores. Sepárelos con espacios, comas, puntos y comas o saltos de línea; de ${min} a ${max} valores.`,
  valuesPlaceholder: "61.2 60.8 61.9 62.4 …",
  interval: "Intervalo",
  intervals: {
    MINUTE_1: "1 minuto",
    MINUTE_5: "5 minutos",
    MINUTE_15: "15 minutos",
    MINUTE_30: "30 minutos",
    HOUR_1: "1 hora",
    HOUR_4: "4 horas",
    HOUR_12: "12 horas",
    DAY_1: "1 día",
    WEEK_1: "1 semana",
    MONTH_1: "1 mes",
    QUARTER_1: "1 trimestre",
    YEAR_1: "1 año",
  },
  length: "Longitud del pronóstico",
  lengthHint: (max: number) => `De 1 a ${max} valores, y no más de los que tiene la serie`,
  submit: (credits: number) => (credits === 1 ? "Pronosticar por 1 crédito" : `Pronosticar por ${credits} créditos`),
  remaining: "Créditos restantes",
  noCredits: "No tiene créditos. Pida más al operador. Los pronósticos fallidos son gratuitos.",
  faults: {
    notNumber: (text: string) => `«${text}» no es un número.`,
    comma: "Las comas separan los valores. Use un punto para los decimales.",
    tooFew: (count: number, min: number) => `La serie tiene ${count} valores. Necesita al menos ${min}.`,
    tooMany: (count: number, max: number) => `La serie tiene ${count} valores. El máximo es ${max}.`,
    length: (max: number) => `Escriba un número entero de 1 a ${max}.`,
    hours: (min: number, max: number) => `Escriba un número entero de ${min} a ${max}.`,
    noBars: "Este mercado no tiene historial de precios en este momento.",
    gaps: (count: number) =>
      count === 1
        ? "1 hora sin datos se completó con el cierre anterior."
        : `${count} horas sin datos se completaron con el cierre anterior.`,
  },
  waiting:
    "Ejemplo: el final de una serie, su pronóstico y los rangos que contienen la mitad y la mayoría de los valores posteriores. Elija una serie y pulse el botón para ver los suyos.",
  result: "Pronóstico",
  charged: (count: number) => (count === 1 ? "1 crédito cobrado" : `${count} créditos cobrados`),
  chart: (count: number, ahead: number) =>
    `Los últimos ${count} valores de la serie y ${ahead} valores pronosticados con intervalos del 50%, 80% y 95%`,
  legend: { history: "Serie", median: "Pronóstico", level: (level: number) => `Intervalo del ${level}%` },
  values_table: "Valores pronosticados",
  columns: { step: "Paso", median: "Pronóstico", inner: "Intervalo del 80%", outer: "Intervalo del 95%" },
  model: "Modelo",
  models: {
    last_value: "Último valor",
    ensemble: "Conjunto",
  },
  modelBody: {
    last_value: "Ningún modelo superó al último valor en la prueba histórica. Guíese por los intervalos.",
    ensemble: "Varios modelos, ponderados por sus resultados en la prueba histórica de esta serie.",
  },
  seasons: "Duración de la temporada, en valores",
  noSeason: "ninguna",
  used: "Valores usados",
  version: "Versión",
  backtest: "Prueba histórica",
  backtestLead: (origins: number) =>
    origins === 1
      ? "El mismo método aplicado en 1 punto anterior de esta serie, solo con los datos previos."
      : `El mismo método aplicado en ${origins} puntos anteriores de esta serie, cada vez solo con los datos previos.`,
  errors: "Error medio de la prueba histórica por paso",
  errorColumns: {
    forecast: "Este método",
    lastValue: "Último valor",
    seasonalNaive: "Última temporada",
    verdict: "Resultado",
  },
  better: "mejor que el último valor",
  noBetter: "no mejor que el último valor",
  noBacktest: "La serie es demasiado corta o demasiado constante para una prueba histórica.",
  relative: "Error (último valor = 1)",
  mase: "Error (modelo estacional simple = 1)",
  coverage: (level: number) => `Dentro del intervalo del ${level}%`,
  warnings: {
    no_skill_over_last_value: "No mejora al último valor: esta serie no predice una subida ni una bajada.",
    short_series: "Serie corta: los intervalos se basan en pocos valores.",
    constant_series: "Serie constante: el pronóstico es el mismo valor, sin intervalo.",
    level_shift: "Los valores recientes están fuera del rango anterior; el pronóstico puede no ser fiable.",
  },
  warningsTitle: "Sobre este pronóstico",
  disclaimer:
    "Una estimación con el historial de la serie, no un consejo. Lo que ocurra puede quedar fuera de todos los intervalos.",
};
