import type { RuleSentences } from '../../rules.ts'
import { codeRules } from './codes.ts'
import { financeRules } from './finance.ts'
import { keyRules } from './keys.ts'
import { logisticsRules } from './logistics.ts'
import { orderRules } from './orders.ts'
import { productRules } from './products.ts'

/** Complete: a test compares it with the rules. */
export const rules: RuleSentences = {
  ...productRules,
  ...orderRules,
  ...logisticsRules,
  ...financeRules,
  ...codeRules,
  ...keyRules,
}
