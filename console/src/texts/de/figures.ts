import { counted } from '../counted.ts'
import type { Texts } from '../index.ts'

export const figures: Texts['figures'] = {
  late: (days) => `${counted(days, 'Tag', 'Tage')} überfällig`,
  today: 'heute fällig',
  ahead: (days) => `fällig in ${counted(days, 'Tag', 'Tagen')}`,
  yes: 'ja',
  no: 'nein',
}
