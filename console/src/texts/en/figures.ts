import { counted } from '../counted.ts'

/** Relative days, and values that are not numbers. */
export const figures = {
  late: (days: number) => `${counted(days, 'day', 'days')} late`,
  today: 'due today',
  ahead: (days: number) => `due in ${counted(days, 'day', 'days')}`,
  yes: 'yes',
  no: 'no',
}
