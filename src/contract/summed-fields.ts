import { type Field, leafFields } from './fields.ts'
import type { Resource } from './resource.ts'

/** The fields that can be added up. */
export const summableFields = (resource: Resource): readonly string[] =>
  namesOf(resource, ['integer', 'amount'])

/** The fields with a minimum and a maximum. */
export const comparableFields = (resource: Resource): readonly string[] =>
  namesOf(resource, ['integer', 'amount', 'date', 'timestamp'])

const namesOf = (resource: Resource, kinds: readonly Field['kind'][]): readonly string[] =>
  leafFields(resource.fields)
    .filter(({ field }) => kinds.includes(field.kind))
    .map(({ name }) => name)
