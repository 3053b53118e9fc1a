import { countText } from '../../locale.ts'

/** The page of the business rules and the records that violate them. */
export const quality = {
  title: 'Data quality',
  passed: (passed: number, total: number) =>
    `${countText(passed)} of ${countText(total)} rules pass`,
  checkedAt: (moment: string) => `checked ${moment}`,
  changedSince: 'Records have changed since. They are checked with the next import.',
  allPass: (total: number) => `All ${countText(total)} rules pass.`,
  notChecked: 'The rules have not been checked yet.',
  howToCheck: 'They are checked after each import, and by this command:',
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
