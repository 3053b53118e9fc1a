import type { Dialect } from '#database'
import { countText, type ListPlan, ownerIn } from '../../src/store/read/list.ts'
import { createParams } from '../../src/store/read/query-template.ts'

/** The statement that counts the records of a list, by itself. */
export const compileCount = (plan: ListPlan, dialect: Dialect) => {
  const values = createParams(ownerIn(plan.table))
  const text = countText(plan, dialect, values)
  return { text, params: values.all }
}
