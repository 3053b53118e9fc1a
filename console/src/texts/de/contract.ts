import type { Texts } from '../index.ts'
import { fields } from './contract/fields.ts'
import { groups } from './contract/groups.ts'
import { values } from './contract/values.ts'
import { views } from './contract/views.ts'

/** Complete: a test compares it with the contract. */
export const contract: Texts['contract'] = { fields, groups, values, views }
