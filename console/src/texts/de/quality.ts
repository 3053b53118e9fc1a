import { countText } from '../../locale.ts'
import type { Texts } from '../index.ts'

export const quality: Texts['quality'] = {
  title: 'Datenqualität',
  passed: (passed, total) => `${countText(passed)} von ${countText(total)} Regeln sind erfüllt`,
  checkedAt: (moment) => `geprüft ${moment}`,
  unchecked: (count) => `${countText(count)} noch nicht geprüft`,
  changedSince:
    'Seitdem haben sich Datensätze geändert. Die Regeln, die sie betreffen, werden erneut geprüft.',
  allPass: (total) => `Alle ${countText(total)} Regeln sind erfüllt.`,
  notChecked: 'Die Regeln wurden noch nicht geprüft.',
  partlyChecked: (count) =>
    count === 1
      ? '1 Regel wurde noch nicht geprüft: Datensätze können sie verletzen.'
      : `${countText(count)} Regeln wurden noch nicht geprüft: Datensätze können sie verletzen.`,
  uncheckedRules: 'Regeln, die nicht geprüft wurden',
  howToCheck: 'Regeln werden nach jedem Import im Hintergrund geprüft und mit diesem Befehl:',
  command: (brand) => `selvedge check --brand ${brand}`,
  errors: 'Fehler',
  errorsMeaning: 'Datensätze widersprechen einander.',
  warnings: 'Warnungen',
  warningsMeaning: 'Ungewöhnlich und eine Prüfung wert.',
  records: (count) => (count === 1 ? '1 Datensatz' : `${countText(count)} Datensätze`),
  whatToDo: 'Was zu tun ist',
  moreRecords: (count) => `${countText(count)} weitere`,
  notListed: (count) =>
    count === 1
      ? '1 weiterer ist nicht aufgeführt.'
      : `${countText(count)} weitere sind nicht aufgeführt.`,
  trend: (first, last, checks) =>
    `jetzt ${countText(last)}, bei der ersten der letzten ${countText(checks)} Prüfungen ${countText(first)}`,
}
