import { catalog, type Field, type Fields, type Kind, resourceAt } from '#contract'
import { type Advice, type ErpTable, erps, erpTables, otherTables } from './erp-tables.ts'
import { anchorOf, code, page, table } from './markdown.ts'

/** Fields that a mapping fills without the ERP: the key, and the times of `defaults`. */
const filled = ['id', 'createdAt', 'updatedAt']

/** What an ERP has, the groups that it becomes, and their required fields. */
export const whereTablesGoPage = (): string =>
  page(
    '# Where does my table go?',
    [
      'Begin with what your ERP has. Each section names the groups that its rows become, and every field that cannot be',
      'null. All other fields are optional: the [mapping](mapping.md) does not have to name them.',
    ].join('\n'),
    table(
      ['The ERP has', 'It becomes'],
      [
        ...erpTables.map(({ name, groups }) => [
          `[${name}](#${anchorOf(name)})`,
          Object.keys(groups).map(linkTo).join(', '),
        ]),
        ...otherTables,
      ],
    ),
    [
      'Sales do not belong here. A shipment has no direction: deliveries to customers would count as goods on the way to the',
      'brand, and as late ([rule](rules.md) `SHP-14`).',
    ].join('\n'),
    [
      'Begin with vendors, items and purchase orders. Every group has the times `createdAt` and `updatedAt`; write them once for',
      'the whole file, and use `first-seen` and `last-changed` if the ERP has none:',
    ].join('\n'),
    '```yaml\ndefaults: { createdAt: first-seen, updatedAt: last-changed, currency: { brand: currency } }\n```',
    [
      'A reference names the key of the other row, as the ERP has it:',
      '`supplierId: { ref: { collection: suppliers, key: [VENDOR_NO] } }`. There are starter mappings for',
      '[ERPNext](../../examples/erpnext) and [Odoo](../../examples/odoo).',
    ].join('\n'),
    ...erpTables.flatMap(describeTable),
  )

const describeTable = ({ name, text, tables, groups }: ErpTable): readonly string[] => [
  `## ${name}`,
  text,
  table(
    ['ERP', 'Tables'],
    erps.map((erp) => [erp, tables[erp]]),
  ),
  ...Object.entries(groups).map(([path, advice]) =>
    table(
      [linkTo(path), 'Takes', 'In the ERP', 'If it has none'],
      requiredFields(resourceAt(catalog, path).fields).map(([field, described]) => [
        code(field),
        takenBy(described),
        ...adviceFor(described, advice[field]),
      ]),
    ),
  ),
]

/** Advice that is missing or not needed, for `missingParts`. */
export const tableAdviceProblems = (): readonly string[] =>
  erpTables.flatMap(({ groups }) =>
    Object.entries(groups).flatMap(([path, advice]) => {
      const fields = new Map(requiredFields(resourceAt(catalog, path).fields))
      return [
        ...[...fields]
          .filter(([name, field]) => field.kind !== 'ref' && !Object.hasOwn(advice, name))
          .map(
            ([name]) => `${path}.${name}: where an ERP has it, and what to write if it has none`,
          ),
        ...Object.keys(advice)
          .filter((name) => !fields.has(name))
          .map((name) => `${path}.${name}: remove it, it is not required`),
      ]
    }),
  )

/** Fields that every record needs, with those inside objects. */
const requiredFields = (fields: Fields, prefix = ''): readonly (readonly [string, Field])[] =>
  Object.entries(fields).flatMap(([name, field]): readonly (readonly [string, Field])[] => {
    if (field.nullable || (prefix === '' && filled.includes(name))) return []
    return field.fields && field.kind === 'object'
      ? requiredFields(field.fields, `${prefix}${name}.`)
      : [[prefix + name, field]]
  })

const kinds: Record<Kind, string> = {
  id: 'identifier',
  ref: 'reference',
  person: 'identifier',
  text: 'text',
  integer: 'integer',
  flag: 'true or false',
  amount: 'decimal number',
  date: 'date',
  timestamp: 'time',
  any: 'any value',
  texts: 'texts',
  object: 'object',
  objects: 'objects',
}

const takenBy = ({ kind, to, values, code: codeName }: Field): string => {
  if (kind === 'ref' && to) return linkTo(to)
  if (values) return values.map(code).join(', ')
  return codeName ? `[code](codes.md) of a ${codeName}` : kinds[kind]
}

const adviceFor = ({ kind }: Field, advice: Advice | undefined): Advice =>
  advice ?? (kind === 'ref' ? ['the key of its row', ''] : ['', ''])

const linkTo = (path: string): string => {
  const { domain, group } = resourceAt(catalog, path)
  return `[${path}](resources/${domain}.md#${anchorOf(group)})`
}
