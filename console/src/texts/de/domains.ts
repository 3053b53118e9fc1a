import type { Texts } from '../index.ts'

export const domains: Texts['domains'] = {
  network: 'Netzwerk',
  reference: 'Stammdaten',
  catalog: 'Katalog',
  sourcing: 'Beschaffung',
  orders: 'Bestellungen',
  logistics: 'Logistik',
  finance: 'Finanzen',
  documents: 'Dokumente',
}
