import type { Rule } from '../rule.ts'
import { cargoRules } from './cargo.ts'
import { codeRuleList } from './codes.ts'
import { customFieldRules } from './custom-fields.ts'
import { documentRules } from './documents.ts'
import { invoiceRules } from './invoices.ts'
import { keyRules } from './keys.ts'
import { networkRules } from './network.ts'
import { orderRules } from './orders.ts'
import { packingRules } from './packing.ts'
import { paymentRules } from './payments.ts'
import { productionRules } from './production.ts'
import { classificationRules, productRules } from './products.ts'
import { receivingRules } from './receiving.ts'
import { curveRules, referenceRules } from './reference.ts'
import { sourcingRules } from './sourcing.ts'
import { specificationRules } from './specifications.ts'
import { timeRules } from './times.ts'
import { travelRules } from './travel.ts'

const byId = (a: Rule, b: Rule): number => (a.id < b.id ? -1 : 1)

/** The business rules, in the order of the reference page. */
export const rules: readonly Rule[] = [
  ...productRules,
  ...specificationRules,
  ...classificationRules,
  ...customFieldRules,
  ...curveRules,
  ...referenceRules,
  ...networkRules,
  ...sourcingRules,
  ...orderRules,
  ...productionRules,
  ...cargoRules,
  ...travelRules,
  ...packingRules,
  ...receivingRules,
  ...[...invoiceRules, ...paymentRules].sort(byId),
  ...documentRules,
  ...codeRuleList,
  ...timeRules,
  ...keyRules,
]
