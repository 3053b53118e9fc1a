import type { Vocabulary } from '../vocabulary.ts'
import { fields } from './fields.ts'
import { groups } from './groups.ts'
import { values } from './values.ts'
import { views } from './views.ts'

/** Complete: the generator compares it with the contract. */
export const german: Vocabulary = { fields, groups, values, views }
