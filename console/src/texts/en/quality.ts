import { countText } from '../../locale.ts'

/** The page of the business rules and the records that violate them. */
export const quality = {
  title: 'Data quality',
  passed: (passed: number, total: number) =>
    `${countText(passed)} of ${countText(total)} rules pass`,
  checkedAt: (moment: string) => `checked ${moment}`,
  unchecked: (count: number) => `${countText(count)} not checked yet`,
  changedSince: 'Records have changed since. The rules that read them are checked again.',
  allPass: (total: number) => `All ${countText(total)} rules pass.`,
  notChecked: 'The rules have not been checked yet.',
  partlyChecked: (count: number) =>
    count === 1
      ? '1 rule has not been checked yet: records may break it.'
      : `${countText(count)} rules have not been checked yet: records may break them.`,
  uncheckedRules: 'Rules that have not been checked',
  howToCheck: 'Rules are checked in the background after each import, and by this command:',
  command: (brand: string) => `selvedge check --brand ${brand}`,
  errors: 'Errors',
  errorsMeaning: 'Records contradict each other.',
  warnings: 'Warnings',
  warningsMeaning: 'Unusual, and worth a review.',
  records: (count: number) => (count === 1 ? '1 record' : `${countText(count)} records`),
  whatToDo: 'What to do',
  moreRecords: (count: number) => `${countText(count)} more`,
  notListed: (count: number) =>
    count === 1 ? '1 more is not listed.' : `${countText(count)} more are not listed.`,
  trend: (first: number, last: number, checks: number) =>
    `${countText(last)} now, ${countText(first)} at the first of the last ${countText(checks)} checks`,
}
