import type { AdminTexts } from '../admin.ts'

export const checks: AdminTexts['checks'] = {
  title: 'Prüfungen',
  about: 'Datensätze, die Geschäftsregeln verletzen, wie die letzte Prüfung sie fand.',
  noBrands: 'Es gibt noch keine Marke.',
  console: 'Qualitätsseite in der Konsole öffnen',
}
