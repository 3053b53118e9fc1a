import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const calendar: Texts['calendar'] = {
  title: 'Kalender',
  weekOf: 'Woche ab',
  today: 'Heute',
  groupBy: 'Gruppieren nach',
  groupings: { supplier: 'Lieferant', collection: 'Kollektion' },
  supplier: 'Lieferant',
  collection: 'Kollektion',
  all: 'Alle',
  none: 'Ohne',
  onlyLate: 'Nur verspätete',
  fold: 'Alle zuklappen',
  unfold: 'Alle aufklappen',
  empty: 'Keine offene Bestellung passt dazu.',
  cut: (shown, all) =>
    `Zeigt ${countText(shown)} von ${countText(all)} offenen Bestellungen: die mit den frühesten Werksausgängen.`,
  ordersOf: (count) => counted(count, 'Bestellung', 'Bestellungen'),
  lateOf: (count) => `${countText(count)} verspätet`,
  pieces: (count) => `${countText(count)} Stück`,
  left: 'Ab Werk am',
  confirmed: 'Ab Werk bestätigt für',
  requested: 'Ab Werk gewünscht für',
  departure: 'Abfahrt',
  arrival: 'Ankunft',
  delayed: 'Verspätet',
  plannedFor: (day) => `geplant für ${day}`,
  window: (name, from, to) => `Verkaufsstart ${name}, ${from} bis ${to}`,
  legend: {
    made: 'Ab Werk bis Abfahrt',
    late: 'Verspätet',
    way: 'Abfahrt bis Ankunft',
    done: 'Angekommen',
    window: 'Verkaufsstart',
  },
}
