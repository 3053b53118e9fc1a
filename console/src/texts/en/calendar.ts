import { countText } from '../../locale.ts'
import { counted } from '../counted.ts'

/** The calendar of open orders. */
export const calendar = {
  title: 'Calendar',
  weekOf: 'Week from',
  today: 'Today',
  groupBy: 'Group by',
  groupings: { supplier: 'Supplier', collection: 'Collection' },
  supplier: 'Supplier',
  collection: 'Collection',
  all: 'All',
  none: 'None',
  onlyLate: 'Only late',
  fold: 'Fold all',
  unfold: 'Unfold all',
  empty: 'No open order matches.',
  cut: (shown: number, all: number) =>
    `Shows ${countText(shown)} of ${countText(all)} open orders: those with the earliest ex-factory dates.`,
  ordersOf: (count: number) => counted(count, 'order', 'orders'),
  lateOf: (count: number) => `${countText(count)} late`,
  pieces: (count: number) => counted(count, 'piece', 'pieces'),
  left: 'Left the factory',
  confirmed: 'Ex-factory confirmed for',
  requested: 'Ex-factory requested for',
  departure: 'Departure',
  arrival: 'Arrival',
  delayed: 'Delayed',
  plannedFor: (day: string) => `planned for ${day}`,
  window: (name: string, from: string, to: string) => `Launch ${name}, ${from} to ${to}`,
  legend: {
    made: 'Ex-factory to departure',
    late: 'Late',
    way: 'Departure to arrival',
    done: 'Arrived',
    window: 'Launch window',
  },
}
