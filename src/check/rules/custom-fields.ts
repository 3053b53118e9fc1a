import type { ResourcePath } from '#contract'
import { all, is, present } from '../condition.ts'
import { type Finding, scan } from '../finding.ts'
import { type Rule, rule } from '../rule.ts'
import { notDeleted, row, type Source, textOf, valueFrom } from '../source.ts'
import { type Sql, sql } from '../sql.ts'
import { readJson } from './lists.ts'

const definition = row('custom-field-definitions', 'definition')

/** The keys that are defined for one type of record, one per line. */
const definedKeys = (entity: ResourcePath): Sql =>
  valueFrom(sql`string_agg(${definition.key}, ${'\n'})`, {
    from: definition,
    where: all(is(definition.entity, entity), notDeleted(definition)),
  })

const undefinedKeys = (entity: ResourcePath, from: Source, customFields: Sql): Finding =>
  scan({
    from,
    where: present(customFields),
    read: { customFields, defined: definedKeys(entity) },
    judge: ({ customFields, defined }) => {
      const definedKeySet = new Set(defined?.split('\n'))
      const unknown = Object.keys(Object(readJson(customFields))).filter(
        (key) => !definedKeySet.has(key),
      )
      return unknown.length > 0 ? `no definition of ${unknown.join(', ')}` : undefined
    },
  })

const partner = row('partners', 'partner')
const supplier = row('suppliers', 'supplier')
const product = row('parent-products', 'product')
const sku = row('skus', 'sku')
const material = row('materials', 'material')
const order = row('orders', 'order')
const shipment = row('shipments', 'shipment')

/** CAT-16: custom fields. */
export const customFieldRules: readonly Rule[] = [
  rule(
    'CAT-16',
    'warning',
    ['custom-field-definitions'],
    'Every key in customFields is defined for that kind of record.',
    'Define the custom field, or remove the key from the record.',
    undefinedKeys('partners', partner, textOf(partner, 'relationship', 'customFields')),
    undefinedKeys('suppliers', supplier, supplier.customFields),
    undefinedKeys('parent-products', product, product.customFields),
    undefinedKeys('skus', sku, sku.customFields),
    undefinedKeys('materials', material, material.customFields),
    undefinedKeys('orders', order, order.customFields),
    undefinedKeys('shipments', shipment, shipment.customFields),
  ),
]
