export { checkRules, type RuleResult } from './check.ts'
export { checkOutdated } from './outdated.ts'
export { keptRecords, qualityJson, storeResults } from './quality.ts'
export { rules } from './rules/index.ts'
