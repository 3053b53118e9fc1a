export { type CheckParts, checkRules, type RuleResult } from './check.ts'
export type { Breach, Rule, Severity } from './rule.ts'
export { rules } from './rules/index.ts'
