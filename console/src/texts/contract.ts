/** Translated names of the contract. Descriptions of fields stay in English. */
import { valueLabelOf } from '../../../src/contract/index.ts'
import type { Domain, Field, Filter, Group } from '../contract.ts'
import { texts } from './index.ts'

/** `Order Items` */
export const groupTitle = ({ path, title }: Pick<Group, 'path' | 'title'>): string =>
  texts().contract?.groups[path]?.[0] ?? title

/** `Order item` */
export const groupSingular = ({ path, singular }: Pick<Group, 'path' | 'singular'>): string =>
  texts().contract?.groups[path]?.[1] ?? singular

/** The label of a field or a filter: `Supplier confirmed at`. */
export const fieldLabel = ({ label }: Pick<Field | Filter, 'label'>): string =>
  texts().contract?.fields[label] ?? label

/**
 * The label of a status or another value, such as `partially_paid`. Lists of values may be open.
 */
export const valueLabel = (value: string): string => {
  const values = texts().contract?.values
  return values && Object.hasOwn(values, value) ? (values[value] ?? value) : valueLabelOf(value)
}

/** `Late orders` */
export const viewTitle = ({ title }: { readonly title: string }): string =>
  texts().contract?.views[title] ?? title

export const domainTitle = (domain: Domain): string => texts().domains[domain]
