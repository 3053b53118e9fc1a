/** The findings of checks. */
export const checks = {
  title: 'Checks',
  about: 'Records that break business rules, as the last check found them.',
  noBrands: 'There is no brand yet.',
  console: 'Open the quality page in the console',
}
