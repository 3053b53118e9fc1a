export { type CheckParts, checkRules, type RuleResult } from './check.ts'
export type { Rule, Severity, Violation } from './rule.ts'
export { rules } from './rules/index.ts'
